#[test]
fn t() {
    let d = idemsql::dialect::find("oracle").unwrap();
    for e in ["1e-7 AS a", "HEXTORAW('00FF27') AS a", "DATE '2024-02-29' AS a", "INTERVAL '23:59:59.999999' HOUR TO SECOND AS a_time", "CAST(1 AS NUMBER(1)) AS b", "'a' AS a_char", "1 AS a_bool", "CAST(NULL AS INTERVAL DAY(0) TO SECOND(6)) AS x", "CAST(NULL AS RAW(16))", "CAST(NULL AS TIMESTAMP(6) WITH TIME ZONE)", "CAST(NULL AS BINARY_FLOAT)", "CAST(NULL AS VARCHAR2(10 CHAR))", "CAST(NULL AS NUMBER(10, 4))"] {
        println!("{e}: {:?}", idemsql::sql::expression::query(&format!("SELECT {e} FROM dual"), d).map(|_|()));
    }
}
