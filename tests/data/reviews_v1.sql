PRAGMA application_id = 1348881511;
PRAGMA user_version = 1;
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
INSERT INTO "entry" VALUES(1,'019b8d2b-8c00-7462-b089-294b873c6307','grade','sqrt-dk',1767600000000,1767600000000,'2026-01-05',3,9000,1200,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0}','{"phase":"learning","step":1,"stability":2.3065,"difficulty":2.118103970459016,"last_ms":1767600000000,"last_day":"2026-01-05","due_ms":1767600600000,"due_day":null,"reps":1,"lapses":0}',600000,NULL);
INSERT INTO "entry" VALUES(2,'019b8d2c-7660-729d-9f57-f0acf2d6a77b','grade','causal-mask',1767600060000,1767600060000,'2026-01-05',1,5000,800,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0}','{"phase":"learning","step":0,"stability":0.212,"difficulty":6.4133,"last_ms":1767600060000,"last_day":"2026-01-05","due_ms":1767600120000,"due_day":null,"reps":1,"lapses":0}',60000,NULL);
INSERT INTO "entry" VALUES(3,'019b8d34-b3c0-75a5-97c3-31f97f3aecb5','grade','sqrt-dk',1767600600000,1767600600000,'2026-01-05',3,4000,900,'{"phase":"learning","step":1,"stability":2.3065,"difficulty":2.118103970459016,"last_ms":1767600000000,"last_day":"2026-01-05","due_ms":1767600600000,"due_day":null,"reps":1,"lapses":0}','{"phase":"review","step":null,"stability":2.3065,"difficulty":2.111214235785395,"last_ms":1767600600000,"last_day":"2026-01-05","due_ms":null,"due_day":"2026-01-07","reps":2,"lapses":0}',172800000,NULL);
INSERT INTO "entry" VALUES(4,'019b8d36-3a60-71d7-8be8-a1dfbc28bc18','undo','causal-mask',1767600700000,1767600700000,'2026-01-05',NULL,NULL,NULL,NULL,NULL,NULL,'019b8d2c-7660-729d-9f57-f0acf2d6a77b');
INSERT INTO "entry" VALUES(5,'019b8d37-c100-7dd0-9b7d-4f1e1f3afb93','grade','causal-mask',1767600800000,1767600800000,'2026-01-05',4,3000,700,'{"phase":"new","step":null,"stability":null,"difficulty":null,"last_ms":null,"last_day":null,"due_ms":null,"due_day":null,"reps":0,"lapses":0}','{"phase":"review","step":null,"stability":8.2956,"difficulty":1.0,"last_ms":1767600800000,"last_day":"2026-01-05","due_ms":null,"due_day":"2026-01-14","reps":1,"lapses":0}',777600000,NULL);
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
INSERT INTO "schedule" VALUES('causal-mask','review',NULL,8.2956,1.0,1767600800000,'2026-01-05',NULL,'2026-01-14',1,0);
INSERT INTO "schedule" VALUES('sqrt-dk','review',NULL,2.3065,2.11121423578539513243e+00,1767600600000,'2026-01-05',NULL,'2026-01-07',2,0);
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
COMMIT;
