CREATE TABLE t (id INT, name VARCHAR(20), amount DECIMAL(8,2), day DATE);
LOAD DATA LOCAL INFILE 'tests/client/testdata/load.csv' INTO TABLE t FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' IGNORE 1 LINES (id, name, amount, @day) SET day = STR_TO_DATE(@day, '%d/%m/%Y');
SHOW WARNINGS;
SELECT * FROM t;
LOAD DATA LOCAL INFILE 'tests/client/testdata/nothing.csv' INTO TABLE t;
LOAD DATA INFILE 'load.csv' INTO TABLE t;
LOAD DATA LOCAL INFILE 'tests/client/testdata/load.csv' REPLACE INTO TABLE t FIELDS TERMINATED BY ',';
SELECT COUNT(*) FROM t;
