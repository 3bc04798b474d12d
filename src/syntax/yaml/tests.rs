//! Trees of YAML documents: ranges of every kind of node, and the messages of refusals. The laws
//! over any text are in `tests/laws`.

use super::*;
use crate::tree::{NodeId, NodeKind};

/// Returns every node as `kind text`, indented by depth.
fn outline(text: &str) -> String {
    let tree = parse(text.as_bytes()).unwrap();
    let mut out = String::new();
    let mut ends: Vec<u32> = Vec::new();
    for i in 0..tree.len() as u32 {
        ends.retain(|&end| end > i);
        let node = tree.node(NodeId(i));
        let depth = ends.len();
        out += &format!(
            "{}{:?} {:?}\n",
            " ".repeat(depth),
            node.kind,
            &text[tree.range(NodeId(i))]
        );
        ends.push(node.next);
    }
    out
}

#[test]
fn ranges_of_nodes() {
    let text = "a: b # c\nl:\n- x\n-  y: 1\n   z:\nf: [1, {k: v}, p: q] \n'q': \"d\"\n";
    let expected = r#"BlockMapping "a: b # c\nl:\n- x\n-  y: 1\n   z:\nf: [1, {k: v}, p: q] \n'q': \"d\""
 Plain "a"
 Plain "b"
 Plain "l"
 BlockSequence "- x\n-  y: 1\n   z:"
  Plain "x"
  BlockMapping "y: 1\n   z:"
   Plain "y"
   Plain "1"
   Plain "z"
   Absent ""
 Plain "f"
 FlowSequence "[1, {k: v}, p: q]"
  Plain "1"
  FlowMapping "{k: v}"
   Plain "k"
   Plain "v"
  FlowMapping "p: q"
   Plain "p"
   Plain "q"
 SingleQuoted "'q'"
 DoubleQuoted "\"d\""
"#;
    assert_eq!(outline(text), expected);
}

#[test]
fn ranges_of_block_scalars_and_multiline_text() {
    let text = "a: |  # c\n  x\n   y\n\n\nb: >+\n  z\n\nc: p\n  q # d\nd: |\ne: 'r\n  s'\n";
    let expected = r#"BlockMapping "a: |  # c\n  x\n   y\n\n\nb: >+\n  z\n\nc: p\n  q # d\nd: |\ne: 'r\n  s'"
 Plain "a"
 Literal "|  # c\n  x\n   y"
 Plain "b"
 Folded ">+\n  z\n"
 Plain "c"
 Plain "p\n  q"
 Plain "d"
 Literal "|"
 Plain "e"
 SingleQuoted "'r\n  s'"
"#;
    assert_eq!(outline(text), expected);
}

#[test]
fn dashes_comments_properties_and_aliases() {
    let text =
        "# head\nl: !t &a\n  - x # one\n  -\n  - &b !!str y\nm: *b # end\n? k\n: v\n# tail\n";
    let tree = parse(text.as_bytes()).unwrap();
    let comments: Vec<_> = tree
        .comments()
        .iter()
        .map(|r| &text[r.start as usize..r.end as usize])
        .collect();
    assert_eq!(comments, ["# head", "# one", "# end", "# tail"]);
    let list = NodeId(2);
    assert_eq!(tree.kind(list), NodeKind::BlockSequence);
    assert_eq!(&text[tree.range(list)], "- x # one\n  -\n  - &b !!str y");
    let properties = tree.properties(list).unwrap();
    assert_eq!(
        &text[properties.tag.clone().unwrap().start as usize..][..2],
        "!t"
    );
    assert_eq!(
        &text[properties.anchor.clone().unwrap().start as usize..][..2],
        "&a"
    );
    for item in tree.children(list) {
        assert_eq!(&text[tree.dash(item).unwrap()..][..1], "-");
    }
    let [_, absent, tagged] = tree.children(list).collect::<Vec<_>>()[..] else {
        panic!("three items")
    };
    assert_eq!(
        (
            tree.kind(absent),
            &text[..tree.range(absent).start][tree.dash(absent).unwrap()..]
        ),
        (NodeKind::Absent, "-")
    );
    let pairs: Vec<_> = tree.pairs(NodeId(0)).collect();
    assert_eq!(tree.kind(pairs[1].1), NodeKind::Alias);
    assert_eq!(tree.resolve_alias(pairs[1].1), tagged);
    assert_eq!(&text[tree.range(pairs[2].0)], "k");
}

#[test]
fn a_property_on_its_own_line_belongs_to_the_collection() {
    let text = "&m\na: &k b\n";
    let tree = parse(text.as_bytes()).unwrap();
    assert_eq!(&text[tree.range(NodeId(0))], "a: &k b");
    assert!(tree.properties(NodeId(0)).is_some() && tree.properties(NodeId(1)).is_none());
    let text = "&m a: b\n";
    let tree = parse(text.as_bytes()).unwrap();
    assert_eq!(
        &text[tree.range(NodeId(0))],
        "&m a: b",
        "the anchor is the key's"
    );
    assert!(tree.properties(NodeId(0)).is_none() && tree.properties(NodeId(1)).is_some());
}

#[test]
fn an_empty_document_has_no_node() {
    for text in ["", "\n", "# c\n", "---\n", "---\n# c\n", "...\n---\n"] {
        let outcome = parse(text.as_bytes());
        assert!(
            outcome.is_err() || outcome.unwrap().root().is_none(),
            "{text:?}"
        );
    }
    assert!(parse(b"~").unwrap().root().is_some());
}

#[test]
fn refusals_have_message_position_and_line() {
    let rows = [
        (
            "a: b: c\n",
            4,
            "mapping values are not allowed in this context",
        ),
        (
            "a\nb: c\n",
            3,
            "line 2: mapping values are not allowed in this context",
        ),
        ("a: 1\nb\n", 7, "line 3: could not find expected ':'"),
        ("a: [1\n", 6, "line 1: did not find expected ',' or ']'"),
        (
            "x: 1\na: [1\n",
            11,
            "line 2: did not find expected ',' or ']'",
        ),
        (
            "a: 1\n b: 2\n",
            7,
            "line 2: mapping values are not allowed in this context",
        ),
        (
            "a:\n  b: 1\n c: 2\n",
            11,
            "line 2: did not find expected key",
        ),
        ("a: \"x\n", 6, "line 2: found unexpected end of stream"),
        ("a: @\n", 3, "found character that cannot start any token"),
        (
            "a: - b\n",
            3,
            "block sequence entries are not allowed in this context",
        ),
        (
            "- a\nb: c\n",
            4,
            "line 1: did not find expected '-' indicator",
        ),
        ("a: !x!y z\n", 3, "found undefined tag handle"),
        (
            "a: *\n",
            4,
            "did not find expected alphabetic or numeric character",
        ),
        ("a: |0\n", 4, "found an indentation indicator equal to 0"),
        ("%X\n", 2, "found unknown directive name"),
        ("# \u{1}\n", 2, "control characters are not allowed"),
    ];
    for (text, at, expected) in rows {
        let error = parse(text.as_bytes()).unwrap_err();
        assert_eq!(
            error.opm,
            format!("error converting YAML to JSON: yaml: {expected}"),
            "{text:?}"
        );
        assert_eq!(error.at, at, "{text:?}");
    }
}

#[test]
fn merge_conflict_markers_are_named() {
    let problem = |text: &str| parse(text.as_bytes()).unwrap_err().problem;
    for (marker, text) in [
        (
            "<<<<<<<` on the line above",
            "a:\n- b\n<<<<<<< HEAD\n- c\n=======\n- d\n",
        ),
        (
            "=======` on the line above",
            "a:\n- b\n=======\n- c\n>>>>>>> main\n",
        ),
        (">>>>>>>`", "a:\n- b\n>>>>>>> main\n- c\n"),
    ] {
        let named = format!("merge conflict marker `{marker}: ");
        assert!(problem(text).starts_with(&named), "{}", problem(text));
    }
    let prose = "Our catalog\n=======\na: b\n";
    assert!(!problem(prose).contains("marker"), "{}", problem(prose));
}

#[test]
fn unreadable_bytes_are_detected_one_block_ahead() {
    // Bytes after the document are refused only if they are in a block that had to be decoded.
    let text = |filler: usize| [b"{a: b}\n".as_slice(), &vec![b' '; filler], b"\xff\n"].concat();
    assert!(parse(&text(400)).is_err());
    let far = [b"{a: b}\n]\n".as_slice(), &vec![b'x'; 600], b"\xff\n"].concat();
    assert!(parse(&far).is_ok());
    // An earlier problem is reported first.
    let both = [b"a: [\n]]\n".as_slice(), &vec![b'x'; 600], b"\xff\n"].concat();
    assert!(
        parse(&both)
            .unwrap_err()
            .opm
            .ends_with("did not find expected key")
    );
}

#[test]
fn keys_end_within_1024_characters() {
    let key = |n: usize, c: &str| format!("k: v\n{}: v\n", c.repeat(n));
    for c in ["a", "é"] {
        assert!(parse(key(1024, c).as_bytes()).is_ok());
        assert!(
            parse(key(1025, c).as_bytes())
                .unwrap_err()
                .opm
                .ends_with("could not find expected ':'")
        );
    }
}
