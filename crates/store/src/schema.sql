-- Version 1 of the store: everything that a campaign needs to go on, and everything that a report says of it. What came
-- later is in `version_2.sql`, which is applied to new stores, too.

-- What is to be done: one row per campaign, several in a comparison or after a merge.
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY,
    -- The JSON of `Plan`.
    plan TEXT NOT NULL UNIQUE
) STRICT;

-- Where it stands: replaced as a whole, in one transaction with what was covered since.
CREATE TABLE standing (
    campaign INTEGER PRIMARY KEY REFERENCES campaign (id),
    executions INTEGER NOT NULL,
    is_over INTEGER NOT NULL,
    -- The JSON of `Standing`: counts, findings, curves.
    standing TEXT NOT NULL,
    -- What the strategy has learned, in its own form.
    learned BLOB NOT NULL
) STRICT;

-- What was covered first by the executions up to a number, as little-endian 64-bit numbers.
CREATE TABLE covered (
    campaign INTEGER NOT NULL REFERENCES campaign (id),
    guide INTEGER NOT NULL,
    executions INTEGER NOT NULL,
    items BLOB NOT NULL,
    PRIMARY KEY (campaign, guide, executions)
) STRICT, WITHOUT ROWID;

-- For those who look at the file with SQL of their own.
CREATE VIEW finding AS
SELECT
    standing.campaign AS campaign,
    json_extract(finding.value, '$.failure.violation.property') AS property,
    json_extract(finding.value, '$.failure.violation.reason') AS reason,
    json_extract(finding.value, '$.failure.found.execution') AS execution,
    json_array_length(finding.value, '$.failure.schedule') AS steps,
    json_extract(finding.value, '$.hits') AS hits
FROM standing, json_each(standing.standing, '$.findings') AS finding;

CREATE VIEW curve AS
SELECT
    standing.campaign AS campaign,
    json_extract(coverage.value, '$.guide') AS guide,
    json_extract(point.value, '$.executions') AS executions,
    json_extract(point.value, '$.covered') AS covered
FROM
    standing,
    json_each(standing.standing, '$.coverage') AS coverage,
    json_each(coverage.value, '$.curve') AS point;
