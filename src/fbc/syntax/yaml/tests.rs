use super::*;

#[test]
fn smoke() {
    let t = parse(b"a: b\nc:\n- d\n- e: [1, {x: y}]\n").unwrap();
    assert_eq!(t.len(), 13);
}
