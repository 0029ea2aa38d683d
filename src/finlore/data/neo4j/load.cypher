// Loads the files of this folder. Run with a parameter, as in:
//   cypher-shell --param "folder => 'file:///finlore'" --file load.cypher
// Several thousand rows at a time; running it again changes nothing. Do not open the files in a spreadsheet: cells may
// begin with = + - @.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;
CREATE CONSTRAINT value_id IF NOT EXISTS FOR (v:Value) REQUIRE v.id IS UNIQUE;
CREATE CONSTRAINT event_id IF NOT EXISTS FOR (e:Event) REQUIRE e.id IS UNIQUE;
LOAD CSV WITH HEADERS FROM $folder + '/entities.csv' AS row
CALL { WITH row MERGE (e:Entity {id: row.`id:ID`})
  SET e.name = row.name, e.kind = row.kind, e.aliases = split(row.`aliases:string[]`, ';') } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/values.csv' AS row
CALL { WITH row MERGE (v:Value {id: row.`id:ID`})
  SET v.text = row.text, v.value = toFloat(row.`value:double`), v.unit = row.unit } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/facts.csv' AS row
CALL { WITH row MATCH (a:Entity {id: row.`:START_ID`})
  OPTIONAL MATCH (e:Entity {id: row.`:END_ID`}) OPTIONAL MATCH (v:Value {id: row.`:END_ID`})
  WITH row, a, coalesce(e, v) AS b WHERE b IS NOT NULL
  MERGE (a)-[f:FACT {id: row.id}]->(b)
  SET f.relation = row.relation, f.text = row.text, f.value = toFloat(row.`value:double`), f.unit = row.unit,
    f.period = row.period, f.basis = row.basis, f.part = row.part, f.bound = row.bound,
    f.extractor = row.extractor,
    f.valid_from = datetime(CASE row.`valid_from:datetime` WHEN '' THEN null ELSE row.`valid_from:datetime` END),
    f.valid_to = datetime(CASE row.`valid_to:datetime` WHEN '' THEN null ELSE row.`valid_to:datetime` END),
    f.known_at = datetime(CASE row.`known_at:datetime` WHEN '' THEN null ELSE row.`known_at:datetime` END),
    f.until = datetime(CASE row.`until:datetime` WHEN '' THEN null ELSE row.`until:datetime` END), f.confidence = toFloat(row.`confidence:double`),
    f.status = row.status, f.document = row.document, f.quote = row.quote } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/events.csv' AS row
CALL { WITH row MERGE (e:Event {id: row.`id:ID`})
  SET e.driver = row.driver, e.subtype = row.subtype, e.direction = row.direction, e.relation = row.relation,
    e.cause = row.cause, e.metric = row.metric, e.reasoning = row.reasoning,
    e.valid_from = datetime(CASE row.`valid_from:datetime` WHEN '' THEN null ELSE row.`valid_from:datetime` END),
    e.valid_to = datetime(CASE row.`valid_to:datetime` WHEN '' THEN null ELSE row.`valid_to:datetime` END),
    e.confidence = toFloat(row.`confidence:double`), e.extractor = row.extractor,
    e.known_at = datetime(CASE row.`known_at:datetime` WHEN '' THEN null ELSE row.`known_at:datetime` END), e.document = row.document, e.quote = row.quote } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/parts.csv' AS row
CALL { WITH row MATCH (a:Entity {id: row.`:START_ID`}) MATCH (e:Event {id: row.`:END_ID`})
  MERGE (a)-[:PART {role: row.role}]->(e) } IN TRANSACTIONS;
