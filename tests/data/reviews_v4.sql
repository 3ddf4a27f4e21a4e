PRAGMA application_id = 1348881511;
PRAGMA user_version = 4;
BEGIN TRANSACTION;
CREATE TABLE derived (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "derived" VALUES('scheduler','fsrs 6.3.2|spread 1|retention 0.9|learning 60.0 600.0|relearning 600.0|longest 36500|weights default');
CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
        kind TEXT NOT NULL,
        card TEXT NOT NULL CHECK (card <> ''),
        at_ms INTEGER NOT NULL CHECK (at_ms >= 0),
        order_ms INTEGER NOT NULL CHECK (order_ms >= at_ms),
        day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
        rating INTEGER CHECK (rating BETWEEN 1 AND 4),
        thinking_ms INTEGER CHECK (thinking_ms >= 0),
        grading_ms INTEGER CHECK (grading_ms >= 0),
        before TEXT,
        after TEXT,
        interval_ms INTEGER CHECK (interval_ms > 0),
        undoes TEXT, text TEXT
        CHECK (length(text) <= 4000 AND (kind NOT IN ('note', 'report') OR text IS NOT NULL)), edition TEXT CHECK (edition <> ''),
        CHECK (kind <> 'grade' OR (rating IS NOT NULL AND before IS NOT NULL AND after IS NOT NULL
                                   AND interval_ms IS NOT NULL AND undoes IS NULL)),
        CHECK (kind <> 'undo' OR (undoes IS NOT NULL AND rating IS NULL))
    ) STRICT
    ;
INSERT INTO "entry" VALUES(1,'019b8d2b-8c00-7d76-94d7-097ce216f920','grade','sqrt-dk',1767600000000,1767600000000,'2026-01-05',3,9000,1200,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}','{"phase":"learning","step":1,"stability":2.3065,"difficulty":2.118103970459016,"last_ms":1767600000000,"last_day":"2026-01-05","due_ms":1767600600000,"due_day":null,"reps":1,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}',600000,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(2,'019b8d2c-7660-7393-9172-20b1d8193d8f','grade','causal-mask',1767600060000,1767600060000,'2026-01-05',1,5000,800,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}','{"phase":"learning","step":0,"stability":0.212,"difficulty":6.4133,"last_ms":1767600060000,"last_day":"2026-01-05","due_ms":1767600120000,"due_day":null,"reps":1,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}',60000,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(3,'019b8d34-b3c0-740b-8ef5-f2c3e7794c02','grade','sqrt-dk',1767600600000,1767600600000,'2026-01-05',3,4000,900,'{"phase":"learning","step":1,"stability":2.3065,"difficulty":2.118103970459016,"last_ms":1767600000000,"last_day":"2026-01-05","due_ms":1767600600000,"due_day":null,"reps":1,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}','{"phase":"review","step":null,"stability":2.3065,"difficulty":2.111214235785395,"last_ms":1767600600000,"last_day":"2026-01-05","due_ms":null,"due_day":"2026-01-07","reps":2,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}',172800000,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(4,'019b8d35-9e20-7818-b7af-4d18171d278f','undo','causal-mask',1767600660000,1767600660000,'2026-01-05',NULL,NULL,NULL,NULL,NULL,NULL,'019b8d2c-7660-7393-9172-20b1d8193d8f',NULL,NULL);
INSERT INTO "entry" VALUES(5,'019b8d36-8880-7387-84c2-2db4d3fbb9b2','grade','causal-mask',1767600720000,1767600720000,'2026-01-05',4,3000,700,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}','{"phase":"review","step":null,"stability":8.2956,"difficulty":1.0,"last_ms":1767600720000,"last_day":"2026-01-05","due_ms":null,"due_day":"2026-01-14","reps":1,"lapses":0,"wanted_day":null,"buried_day":null,"suspended":false}',777600000,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(6,'019b9251-e800-72b4-b5b5-81fbf8b1b88f','forward','causal-mask',1767686400000,1767686400000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(7,'019b9251-e800-7f20-b959-c2097efe1bb2','forward','never-studied',1767686400000,1767686400000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(8,'019b9252-d260-7d7c-892e-b3a75aa8cdd8','bury','causal-mask',1767686460000,1767686460000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(9,'019b9253-bcc0-7023-9725-3b2eacb82cb8','suspend','sqrt-dk',1767686520000,1767686520000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(10,'019b9253-bcc0-7fec-8148-b04a26da8dba','suspend','never-studied',1767686520000,1767686520000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(11,'019b9254-a720-7168-a7d5-e19872122a9f','resume','never-studied',1767686580000,1767686580000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(12,'019b925b-0fc0-7f26-966b-4de1a2fca199','bookmark','sqrt-dk',1767687000000,1767687000000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(13,'019b925b-fa20-78d0-b460-f25174010522','note','sqrt-dk',1767687060000,1767687060000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'方差是 d_k，不是 √d_k。
Say it with a number.',NULL);
INSERT INTO "entry" VALUES(14,'019b925c-e480-74b1-88ff-edeab126d7bd','bookmark','causal-mask',1767687120000,1767687120000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(15,'019b925d-cee0-7155-a05f-86835ed8ddd7','unbookmark','causal-mask',1767687180000,1767687180000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(16,'019b925e-b940-7b43-ac5a-1e58a2cd1b31','report','causal-mask',1767687240000,1767687240000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'The figure shows row 3, the text row 4.','0123456789abcdef0123456789abcdef');
INSERT INTO "entry" VALUES(17,'019b925f-a3a0-7057-9a16-44a5b8846fb4','report','never-studied',1767687300000,1767687300000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'a slip','0123456789abcdef0123456789abcdef');
INSERT INTO "entry" VALUES(18,'019b9260-8e00-7506-b30a-08e8f8800996','undo','never-studied',1767687360000,1767687360000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,'019b925f-a3a0-7057-9a16-44a5b8846fb4',NULL,NULL);
CREATE TABLE put_off (
        card TEXT PRIMARY KEY,
        buried_day TEXT,
        suspended INTEGER NOT NULL CHECK (suspended IN (0, 1)),
        CHECK (buried_day IS NOT NULL OR suspended)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "put_off" VALUES('causal-mask','2026-01-06',0);
INSERT INTO "put_off" VALUES('sqrt-dk',NULL,1);
CREATE TABLE schedule (
        card TEXT PRIMARY KEY,
        phase TEXT NOT NULL CHECK (phase IN ('learning', 'review', 'relearning')),
        step INTEGER,
        stability REAL NOT NULL CHECK (stability > 0),
        difficulty REAL NOT NULL CHECK (difficulty BETWEEN 1 AND 10),
        last_ms INTEGER NOT NULL,
        last_day TEXT NOT NULL,
        due_ms INTEGER,
        due_day TEXT,
        reps INTEGER NOT NULL CHECK (reps > 0),
        lapses INTEGER NOT NULL CHECK (lapses >= 0),
        CHECK ((due_ms IS NULL) <> (due_day IS NULL))
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "schedule" VALUES('causal-mask','review',NULL,8.2956,1.0,1767600720000,'2026-01-05',NULL,'2026-01-14',1,0);
INSERT INTO "schedule" VALUES('sqrt-dk','review',NULL,2.3065,2.11121423578539513243e+00,1767600600000,'2026-01-05',NULL,'2026-01-07',2,0);
CREATE TABLE wanted (card TEXT PRIMARY KEY, day TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "wanted" VALUES('causal-mask','2026-01-06');
INSERT INTO "wanted" VALUES('never-studied','2026-01-06');
CREATE INDEX entry_of_card ON entry (card, order_ms, id);
CREATE INDEX entry_undoes ON entry (undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
    BEGIN SELECT raise(ABORT, 'the review log is append-only'); END;
CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
    BEGIN SELECT raise(ABORT, 'the review log is append-only'); END;
CREATE TRIGGER entry_is_never_replaced BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE id = NEW.id OR seq = NEW.seq)
    BEGIN SELECT raise(ABORT, 'the review log is append-only'); END;
CREATE INDEX schedule_due_ms ON schedule (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX schedule_due_day ON schedule (due_day) WHERE due_day IS NOT NULL;
CREATE INDEX schedule_last_day ON schedule (last_day);
CREATE INDEX wanted_day ON wanted (day);
CREATE INDEX entry_marks ON entry (card, order_ms, id)
        WHERE kind IN ('bookmark', 'unbookmark', 'note', 'report')
    ;
COMMIT;
