//! JSON core: strictness, exactness, order, limits.

use steersman_wire::json::{
    parse, parse_bytes, to_text, JsonErrorKind, Kind, Number, Object, Reader, Value, MAX_DEPTH,
};

#[test]
fn documents_keep_order_digits_and_text() {
    let text = r#"{"z":1.50,"a":[true,null,"é\n"],"big":12345678901234567890,"z":-0e-2}"#;
    let value = parse(text).unwrap();
    assert_eq!(to_text(&value), r#"{"z":-0e-2,"a":[true,null,"é\n"],"big":12345678901234567890}"#);
}
