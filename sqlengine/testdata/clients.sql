select @@version_comment limit 1
SELECT DATABASE()
show databases
show tables
select DATABASE(), USER() limit 1
select @@character_set_client, @@character_set_connection, @@character_set_server, @@character_set_database limit 1
!1064 select $$
SHOW WARNINGS
/*!40100 SET @@SQL_MODE='' */
/*!40103 SET TIME_ZONE='+00:00' */
set optimizer_switch='semijoin=off'
SHOW FULL TABLES
SELECT engine, table_type FROM INFORMATION_SCHEMA.TABLES WHERE table_schema = DATABASE() AND table_name = 'orders'
SET SQL_QUOTE_SHOW_CREATE=1
SET SESSION character_set_results = 'binary'
show create table `orders`
SET SESSION character_set_results = 'utf8mb4'
select column_name, extra, generation_expression, data_type from information_schema.columns where table_schema=database() and table_name='orders' order by ordinal_position
SELECT /*!40001 SQL_NO_CACHE */ `order_id`, `dt`, `customer_id`, `status`, `amount`, `updated_at` FROM `orders`
select @@collation_database
SELECT TRIGGER_NAME FROM INFORMATION_SCHEMA.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE = 'orders'
SHOW TRIGGERS LIKE 'orders'
SHOW FIELDS FROM v1
SHOW CREATE TABLE v1
SELECT CHECK_OPTION, DEFINER, SECURITY_TYPE, CHARACTER_SET_CLIENT, COLLATION_CONNECTION FROM information_schema.views WHERE table_name='v1' AND table_schema='shop'
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ
START TRANSACTION /*!40100 WITH CONSISTENT SNAPSHOT */
SAVEPOINT sp
ROLLBACK TO SAVEPOINT sp
RELEASE SAVEPOINT sp
SHOW CREATE DATABASE IF NOT EXISTS shop
show events
SHOW FUNCTION STATUS WHERE Db = 'shop'
SHOW PROCEDURE STATUS WHERE Db = 'shop'
SELECT COLUMN_NAME, JSON_EXTRACT(HISTOGRAM, '$."number-of-buckets-specified"') FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = 'shop' AND TABLE_NAME = 'orders'
UNLOCK TABLES
SET SESSION wait_timeout = 2147483
SET SESSION net_write_timeout = 2147483
SHOW PROCESSLIST
START TRANSACTION /*!40108 WITH CONSISTENT SNAPSHOT */
/*!40101 SET NAMES binary*/
SHOW MASTER STATUS
SHOW SLAVE STATUS
SHOW TABLE STATUS
select COLUMN_NAME from information_schema.COLUMNS where TABLE_SCHEMA='shop' and TABLE_NAME='orders' and extra like '%GENERATED%'
SHOW CREATE TABLE shop.orders
SELECT /*!40001 SQL_NO_CACHE */ * FROM shop.orders
SHOW COLLATION
SET NAMES utf8mb4
SET character_set_results = NULL
SET autocommit=1
SELECT CONNECTION_ID()
SHOW DATABASES
SELECT WORD FROM INFORMATION_SCHEMA.KEYWORDS WHERE RESERVED=1 ORDER BY WORD
SELECT USER()
SHOW KEYS FROM orders FROM shop
SHOW INDEX FROM orders FROM shop
set autocommit=1, sql_mode = concat(@@sql_mode,',STRICT_TRANS_TABLES')
SELECT @@max_allowed_packet,@@system_time_zone,@@time_zone,@@auto_increment_increment
SELECT SCHEMA_NAME TABLE_CAT FROM INFORMATION_SCHEMA.SCHEMATA ORDER BY 1
SELECT '' TABLE_SCHEM, '' TABLE_catalog FROM DUAL WHERE 1=0
SELECT 'TABLE' TABLE_TYPE UNION SELECT 'SYSTEM VIEW' TABLE_TYPE UNION SELECT 'VIEW' TABLE_TYPE
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
SELECT VERSION()
SELECT @@transaction_isolation
SELECT @@sql_mode
SELECT @@lower_case_table_names
ROLLBACK
SHOW schemas
SHOW FULL TABLES FROM `shop`
SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND table_name = 'orders'
SHOW CREATE TABLE `orders`
SHOW CREATE TABLE `v1`
DESCRIBE `v1`
SHOW ENGINES
SHOW CHARSET
SELECT @@GLOBAL.character_set_server,@@GLOBAL.collation_server
SHOW PLUGINS
SHOW VARIABLES LIKE 'lower_case_table_names'
SELECT * FROM information_schema.TABLES t WHERE t.TABLE_SCHEMA = 'information_schema' AND t.TABLE_NAME = 'CHECK_CONSTRAINTS'
SELECT table_schema, SUM(data_length + index_length) FROM information_schema.tables GROUP BY table_schema
SHOW FULL PROCESSLIST
SHOW PRIVILEGES
SELECT * FROM mysql.user ORDER BY user
SELECT name, description, example, url FROM mysql.help_topic
SELECT t.* FROM shop.orders t LIMIT 0, 200
show session status like 'ssl_version'
SELECT ordinal_position as ordinal_position, column_name as column_name, column_type AS data_type, character_set_name as character_set, collation_name as collation, is_nullable as is_nullable, column_default as column_default, extra as extra, column_name AS foreign_key, column_comment AS comment FROM information_schema.columns WHERE table_schema='shop'AND table_name='orders'
SELECT NOW()
SHOW STATUS
SHOW VARIABLES
SELECT @@GLOBAL.time_zone AS global_tz, @@system_time_zone AS system_tz, time_format(timediff(now(), convert_tz(now(), @@GLOBAL.time_zone, '+00:00')), '%H:%i') AS offset
SET @@session.time_zone = 'Europe/Berlin'
SELECT TRUE FROM `shop`.`orders` WHERE 1 <> 1 LIMIT 0
SHOW GRANTS FOR CURRENT_USER()
SET time_zone = '+00:00'
SELECT DISTINCT TABLE_SCHEMA from information_schema.TABLES where TABLE_TYPE != 'SYSTEM VIEW' ORDER BY TABLE_SCHEMA
SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY table_name
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = database() AND table_name = 'orders' AND data_type IN ('timestamp','datetime','bigint','int','double','float') ORDER BY column_name
SET NAMES utf8
SET SQL_AUTO_IS_NULL = 0
set @@sql_select_limit=DEFAULT
SHOW DATABASES LIKE '%'
SELECT * FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = DATABASE() AND ( TABLE_TYPE='BASE TABLE' OR TABLE_TYPE='VIEW' )
SELECT @@max_allowed_packet, @@character_set_client, @@character_set_connection, @@license, @@sql_mode, @@lower_case_table_names, @@autocommit
SELECT TIMEDIFF(NOW(), UTC_TIMESTAMP())
SET character_set_results=NULL
SELECT VERSION() as version
SELECT 1+1 AS result
SHOW FULL COLUMNS FROM orders
SHOW INDEX FROM orders
SELECT version() as version
SELECT DATABASE() AS db_name
SHOW SESSION VARIABLES LIKE 'version_comment'
SHOW SESSION STATUS LIKE 'Ssl_cipher'
SHOW GLOBAL STATUS
SHOW OPEN TABLES
SET profiling = 1
SELECT QUERY_ID, SUM(DURATION) AS SUM_DURATION FROM INFORMATION_SCHEMA.PROFILING GROUP BY QUERY_ID
SELECT * FROM performance_schema.session_variables
SHOW BINARY LOG STATUS
LOCK TABLES `customers` READ /*!32311 LOCAL */,`orders` READ /*!32311 LOCAL */
UNLOCK TABLES
/*!40000 ALTER TABLE orders DISABLE KEYS */
/*!40000 ALTER TABLE orders ENABLE KEYS */
SET @OLD_TIME_ZONE=@@TIME_ZONE
SET FOREIGN_KEY_CHECKS = 0
SHOW CREATE DATABASE shop
SHOW CREATE VIEW v1
SHOW TABLE STATUS FROM shop LIKE 'orders'
select * from information_schema.columns
select * from information_schema.key_column_usage
SELECT * FROM information_schema.STATISTICS WHERE TABLE_SCHEMA='shop' ORDER BY TABLE_NAME,INDEX_NAME,SEQ_IN_INDEX
SELECT * FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA='shop' AND TABLE_NAME='orders' ORDER BY PARTITION_ORDINAL_POSITION,SUBPARTITION_ORDINAL_POSITION
SELECT * FROM INFORMATION_SCHEMA.TRIGGERS WHERE TRIGGER_SCHEMA = 'shop'
SELECT * FROM information_schema.EVENTS WHERE EVENT_SCHEMA='shop'
SELECT * FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA='shop'
SELECT DATE_ADD(DATE(updated_at), INTERVAL (HOUR(updated_at)*60 + MINUTE(updated_at)) MINUTE) AS t, COUNT(*) FROM orders GROUP BY DATE_ADD(DATE(updated_at), INTERVAL (HOUR(updated_at)*60 + MINUTE(updated_at)) MINUTE) ORDER BY t
SELECT MAKEDATE(YEAR(updated_at), 1) + INTERVAL QUARTER(updated_at) QUARTER - INTERVAL 1 QUARTER FROM orders
SELECT UNIX_TIMESTAMP(updated_at) DIV 300 * 300 AS "time" FROM orders
SELECT updated_at FROM orders WHERE updated_at BETWEEN FROM_UNIXTIME(1775000000) AND FROM_UNIXTIME(1775003600)
SELECT UTC_TIME()
SELECT str_to_date(concat(date_format(updated_at,'%Y-%m'),'-01'),'%Y-%m-%d') FROM orders
SHOW COLUMNS FROM orders
SHOW TABLES LIKE 'o%'
SELECT SUBSTRING(status,1,1234) FROM orders LIMIT 10000
SHOW COUNT(*) WARNINGS
!1235 SHOW ERRORS
SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection, @@character_set_results AS character_set_results, @@character_set_server AS character_set_server, @@collation_server AS collation_server, @@collation_connection AS collation_connection, @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, @@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, @@net_write_timeout AS net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout
SELECT TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, TABLE_NAME, CASE WHEN TABLE_TYPE='BASE TABLE' THEN CASE WHEN TABLE_SCHEMA = 'mysql' OR TABLE_SCHEMA = 'performance_schema' THEN 'SYSTEM TABLE' ELSE 'TABLE' END WHEN TABLE_TYPE='TEMPORARY' THEN 'LOCAL_TEMPORARY' ELSE TABLE_TYPE END AS TABLE_TYPE, TABLE_COMMENT AS REMARKS, NULL AS TYPE_CAT FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA LIKE 'shop' HAVING TABLE_TYPE IN ('TABLE','VIEW') ORDER BY TABLE_TYPE, TABLE_SCHEMA, TABLE_NAME
EXPLAIN SELECT * FROM orders
EXPLAIN FORMAT=JSON SELECT * FROM orders
DROP TABLE IF EXISTS `#Tableau_1`
