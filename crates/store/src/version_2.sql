-- What version 2 of the store adds to version 1.

-- A checksum for every row. That of a standing also covers how much each guide has seen, so lost rows are noticed.
ALTER TABLE campaign ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE standing ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE covered ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

-- Only for campaigns that do not begin with execution 0: what each execution added, so that parts can be joined exactly.
-- An entry is a byte 0 if the cluster did not boot; otherwise a byte 1, the 128-bit fingerprint of the trace, and for
-- each guide a 32-bit number: how many of the items in `covered` this execution was the first to see. All little-endian.
CREATE TABLE journal (
    campaign INTEGER NOT NULL REFERENCES campaign (id),
    executions INTEGER NOT NULL,
    entries BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (campaign, executions)
) STRICT, WITHOUT ROWID;
