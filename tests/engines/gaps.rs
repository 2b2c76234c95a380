//! What an engine of the tests cannot run, by name: where it stands in for a product that can, or lacks what its bridge or
//! its dialect takes for given. Each must still fail in the same words, so that the list stays true.

/// A load that an engine cannot run.
pub struct Gap {
    /// The engine.
    pub engine: &'static str,
    /// What the place of the trial begins with: the case, the strategy, the scenario, with commas between.
    pub place: &'static str,
    /// A part of the engine's error.
    pub error: &'static str,
    /// What the engine lacks.
    pub because: &'static str,
}

impl Gap {
    /// Whether this is what went wrong there.
    pub fn holds(&self, engine: &str, place: &str, fault: &str) -> bool {
        self.engine == engine && place.starts_with(self.place) && fault.contains(self.error)
    }
}

/// Every gap.
pub static ALL: &[Gap] = &[
    Gap { engine: "databend", place: "every_type,", error: "unexpected `TIME`", because: "it has no time of day" },
    Gap { engine: "databend", place: "measurements,", error: "unexpected `TIME`", because: "it has no time of day" },
    Gap {
        engine: "databend",
        place: "order_totals, full_refresh",
        error: "Duplicate common table expression",
        because: "it takes two WITH entries of one name for duplicates, whatever subqueries they stand in",
    },
    Gap {
        engine: "firebird",
        place: "every_type,",
        error: "conversion error from string \"23:59:59.999999\"",
        because: "it keeps four digits of a second",
    },
    Gap {
        engine: "firebird",
        place: "order_totals,",
        error: "Column unknown",
        because: "it has no schemas, so that no table can be called by its name alone",
    },
    // Feature T611 of the standard has the partition: https://hsqldb.org/doc/2.0/guide/builtinfunctions-chapt.html
    Gap {
        engine: "hsqldb",
        place: "",
        error: "unexpected token : PARTITION required: )",
        because: "it has no ROW_NUMBER() OVER (PARTITION BY ..), which reduces staged rows to one of each key",
    },
    Gap {
        engine: "hsqldb",
        place: "",
        error: "object not found: LEAD",
        because: "it has no LEAD() OVER (..), which finds the version that ends another one",
    },
    Gap {
        engine: "sail",
        place: "long_names,",
        error: "File name too long",
        because: "it calls the folder of a table by its name, with fifteen bytes for a letter of Japanese",
    },
    Gap {
        engine: "sail",
        place: "quoted_names,",
        error: "No field named group",
        because: "it looks for a VARCHAR column whose name has capitals in lower case",
    },
];
