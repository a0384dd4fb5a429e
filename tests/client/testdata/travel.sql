-- time travel and hints in the spelling that the client leaves alone
CREATE TABLE t (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO t VALUES (1,'a'),(2,'b');
INSERT INTO t VALUES (1,'A');
DELETE FROM t WHERE k = 2;
SELECT * FROM t;
SELECT * FROM t VERSION AS OF 1 ORDER BY k;
SELECT * FROM t OPTIONS ('scan.snapshot-id'='2') ORDER BY k;
SELECT snapshot_id, commit_kind, delta_record_count FROM t$snapshots ORDER BY snapshot_id;
SELECT * FROM t VERSION AS OF 9;
