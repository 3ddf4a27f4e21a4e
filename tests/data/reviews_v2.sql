PRAGMA application_id = 1348881511;
PRAGMA user_version = 2;
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
        undoes TEXT,
        CHECK (kind <> 'grade' OR (rating IS NOT NULL AND before IS NOT NULL AND after IS NOT NULL
                                   AND interval_ms IS NOT NULL AND undoes IS NULL)),
        CHECK (kind <> 'undo' OR (undoes IS NOT NULL AND rating IS NULL))
    ) STRICT
    ;
INSERT INTO "entry" VALUES(1,'019b8d2b-8c00-7476-a40a-da96ecead174','grade','sqrt-dk',1767600000000,1767600000000,'2026-01-05',3,9000,1200,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0,"wanted_day":null}','{"phase":"learning","step":1,"stability":2.3065,"difficulty":2.118103970459016,"last_ms":1767600000000,"last_day":"2026-01-05","due_ms":1767600600000,"due_day":null,"reps":1,"lapses":0,"wanted_day":null}',600000,NULL);
INSERT INTO "entry" VALUES(2,'019b8d2c-7660-79df-97ec-0639c5fe1e13','grade','causal-mask',1767600060000,1767600060000,'2026-01-05',1,5000,800,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0,"wanted_day":null}','{"phase":"learning","step":0,"stability":0.212,"difficulty":6.4133,"last_ms":1767600060000,"last_day":"2026-01-05","due_ms":1767600120000,"due_day":null,"reps":1,"lapses":0,"wanted_day":null}',60000,NULL);
INSERT INTO "entry" VALUES(3,'019b8d34-b3c0-76a2-b914-00ffd82e78c5','grade','sqrt-dk',1767600600000,1767600600000,'2026-01-05',3,4000,900,'{"phase":"learning","step":1,"stability":2.3065,"difficulty":2.118103970459016,"last_ms":1767600000000,"last_day":"2026-01-05","due_ms":1767600600000,"due_day":null,"reps":1,"lapses":0,"wanted_day":null}','{"phase":"review","step":null,"stability":2.3065,"difficulty":2.111214235785395,"last_ms":1767600600000,"last_day":"2026-01-05","due_ms":null,"due_day":"2026-01-07","reps":2,"lapses":0,"wanted_day":null}',172800000,NULL);
INSERT INTO "entry" VALUES(4,'019b8d35-9e20-73e4-95ec-f581277dbfa3','undo','causal-mask',1767600660000,1767600660000,'2026-01-05',NULL,NULL,NULL,NULL,NULL,NULL,'019b8d2c-7660-79df-97ec-0639c5fe1e13');
INSERT INTO "entry" VALUES(5,'019b8d36-8880-7952-9763-f83e4049e245','grade','causal-mask',1767600720000,1767600720000,'2026-01-05',4,3000,700,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0,"wanted_day":null}','{"phase":"review","step":null,"stability":8.2956,"difficulty":1.0,"last_ms":1767600720000,"last_day":"2026-01-05","due_ms":null,"due_day":"2026-01-14","reps":1,"lapses":0,"wanted_day":null}',777600000,NULL);
INSERT INTO "entry" VALUES(6,'019b9251-e800-7d5d-992c-e2ee4e54a3e3','forward','causal-mask',1767686400000,1767686400000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "entry" VALUES(7,'019b9251-e800-701e-9c02-d4bc8006c68f','forward','never-studied',1767686400000,1767686400000,'2026-01-06',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
COMMIT;
