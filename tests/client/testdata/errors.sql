-- what a person sees after a mistake
SELEC 1;
SELECT * FROM nosuch;
CREATE TABLE t (a INT, b TINYINT);
SELECT nosuch FROM t;
INSERT INTO t VALUES (1, 300);
INSERT INTO t VALUES (1);
CREATE TABLE u (a INT, PRIMARY KEY (a)) WITH ('buckt'='1');
SHOW JOBS;
SELECT 'the connection goes on' AS msg;
