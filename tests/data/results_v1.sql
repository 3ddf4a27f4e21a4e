PRAGMA application_id = 1348883060;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE response (
        sitting TEXT NOT NULL REFERENCES sitting (id),
        number INTEGER NOT NULL CHECK (number >= 0),
        spent_ms INTEGER NOT NULL DEFAULT 0 CHECK (spent_ms >= 0),
        flagged INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
        given TEXT,
        graded TEXT,
        answered_ms INTEGER,
        PRIMARY KEY (sitting, number),
        CHECK ((given IS NULL) = (graded IS NULL))
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "response" VALUES('019b8d2b-8c00-77db-823b-9926cd9ac496',0,5000,0,'1','{"kind": "number", "outcome": "wrong", "points": 0.0, "given": {"en": "1", "zh": "1"}, "reference": {"en": "1536", "zh": "1536"}, "feedback": [{"en": "99.93% away from the answer, outside the tolerance", "zh": "与答案相差 99.93%，超出容差"}], "slip": null, "verdict": {"verdict": "different", "reason": {"en": "99.93% away from the answer, outside the tolerance", "zh": "与答案相差 99.93%，超出容差"}, "reading": "1", "counterexample": {"values": {}, "input": 1, "reference": 1536}, "line": null}, "ticks": []}',1767600005000);
INSERT INTO "response" VALUES('019b8d2b-8c00-77db-823b-9926cd9ac496',1,6000,0,'variance proportional to d_k 方差','{"kind": "recall", "outcome": "partial", "points": 0.3333333333333333, "given": {"en": "variance proportional to d_k 方差", "zh": "variance proportional to d_k 方差"}, "reference": {"en": "The whole answer.", "zh": "完整答案。"}, "feedback": [], "slip": null, "verdict": null, "ticks": [{"id": "variance-grows", "text": {"en": "the variance of $q \\cdot k$ is proportional to $d_k$", "zh": "$q \\cdot k$ 的方差与 $d_k$ 成正比"}, "overlap": 1.0, "matched": ["dk", "proportional", "varianc"], "proposed": true, "ticked": true}, {"id": "saturation", "text": {"en": "large scores saturate the softmax and its gradient vanishes", "zh": "分数过大使 softmax 饱和，梯度消失"}, "overlap": 0.0, "matched": [], "proposed": false, "ticked": false}, {"id": "premises", "text": {"en": "zero mean and independence are assumed", "zh": "前提是零均值且相互独立"}, "overlap": 0.0, "matched": [], "proposed": false, "ticked": false}]}',1767600011000);
INSERT INTO "response" VALUES('019b8d2b-8c00-77db-823b-9926cd9ac496',2,7000,0,'b','{"kind": "choice", "outcome": "right", "points": 1.0, "given": {"en": "option b", "zh": "option b"}, "reference": {"en": "option b", "zh": "option b"}, "feedback": [{"en": "because b", "zh": "因为 b"}], "slip": null, "verdict": null, "ticks": []}',1767600018000);
INSERT INTO "response" VALUES('019b8d2b-8c00-77db-823b-9926cd9ac496',3,8000,0,'variance proportional to d_k 方差','{"kind": "recall", "outcome": "partial", "points": 0.3333333333333333, "given": {"en": "variance proportional to d_k 方差", "zh": "variance proportional to d_k 方差"}, "reference": {"en": "The whole answer.", "zh": "完整答案。"}, "feedback": [], "slip": null, "verdict": null, "ticks": [{"id": "variance-grows", "text": {"en": "the variance of $q \\cdot k$ is proportional to $d_k$", "zh": "$q \\cdot k$ 的方差与 $d_k$ 成正比"}, "overlap": 1.0, "matched": ["dk", "proportional", "varianc"], "proposed": true, "ticked": true}, {"id": "saturation", "text": {"en": "large scores saturate the softmax and its gradient vanishes", "zh": "分数过大使 softmax 饱和，梯度消失"}, "overlap": 0.0, "matched": [], "proposed": false, "ticked": false}, {"id": "premises", "text": {"en": "zero mean and independence are assumed", "zh": "前提是零均值且相互独立"}, "overlap": 0.0, "matched": [], "proposed": false, "ticked": false}]}',1767600026000);
INSERT INTO "response" VALUES('019b9252-4d90-72e0-be58-9404acaf4318',0,3000,1,'1','{"kind": "recall", "outcome": "to-tick", "points": null, "given": {"en": "1", "zh": "1"}, "reference": {"en": "The whole answer.", "zh": "完整答案。"}, "feedback": [], "slip": null, "verdict": null, "ticks": [{"id": "variance-grows", "text": {"en": "the variance of $q \\cdot k$ is proportional to $d_k$", "zh": "$q \\cdot k$ 的方差与 $d_k$ 成正比"}, "overlap": 0.0, "matched": [], "proposed": false, "ticked": null}, {"id": "saturation", "text": {"en": "large scores saturate the softmax and its gradient vanishes", "zh": "分数过大使 softmax 饱和，梯度消失"}, "overlap": 0.0, "matched": [], "proposed": false, "ticked": null}, {"id": "premises", "text": {"en": "zero mean and independence are assumed", "zh": "前提是零均值且相互独立"}, "overlap": 0.0, "matched": [], "proposed": false, "ticked": null}]}',1767686429000);
INSERT INTO "response" VALUES('019b9252-4d90-72e0-be58-9404acaf4318',1,2000,0,NULL,NULL,NULL);
CREATE TABLE sitting (
        id TEXT PRIMARY KEY CHECK (length(id) = 36),
        form TEXT NOT NULL,
        paper TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        day TEXT NOT NULL,
        limit_ms INTEGER CHECK (limit_ms > 0),
        used_ms INTEGER NOT NULL DEFAULT 0 CHECK (used_ms >= 0),
        position INTEGER NOT NULL DEFAULT 0 CHECK (position >= 0),
        status TEXT NOT NULL CHECK (status IN ('open', 'handed in', 'timed out')),
        ended_ms INTEGER,
        holder TEXT NOT NULL,
        CHECK ((status = 'open') = (ended_ms IS NULL))
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "sitting" VALUES('019b8d2b-8c00-77db-823b-9926cd9ac496','AECV6Z','{"format": 1, "form": "AECV6Z", "seed": 11, "asked": 4, "minutes": 10, "topics": [], "kinds": [], "levels": [], "questions": [{"card": "bert-masking", "drill": "compute", "kind": "number", "variables": {"d_k": 512}, "topic": "bert", "level": "core"}, {"card": "checkpointing", "drill": "say", "kind": "recall", "topic": "memory", "level": "deep"}, {"card": "attention-qkv", "drill": "choose", "kind": "choice", "options": ["c", "d", "a", "b"], "topic": "attention", "level": "deep"}, {"card": "batch-norm", "drill": "say", "kind": "recall", "topic": "normalization", "level": "expert"}]}',1767600000000,'2026-01-05',600000,26000,3,'handed in',1767600026000,'019b8d2b-8c00-7fd9-9894-9abde1fa5926');
INSERT INTO "sitting" VALUES('019b9252-4d90-72e0-be58-9404acaf4318','HXX43D','{"format": 1, "form": "HXX43D", "seed": 12, "asked": 3, "minutes": 10, "topics": [], "kinds": ["number", "recall"], "levels": [], "questions": [{"card": "checkpointing", "drill": "say", "kind": "recall", "topic": "memory", "level": "deep"}, {"card": "bert-masking", "drill": "compute", "kind": "number", "variables": {"d_k": 512}, "topic": "bert", "level": "core"}, {"card": "batch-norm", "drill": "compute", "kind": "number", "variables": {"d_k": 256}, "topic": "normalization", "level": "expert"}]}',1767686426000,'2026-01-06',600000,5000,1,'open',NULL,'019b9252-4d90-7dca-bf9d-1edac776d9c5');
CREATE INDEX sitting_started ON sitting (started_ms);
COMMIT;
