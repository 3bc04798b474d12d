//! Edge descriptions, and when the card opens.

use super::*;
use protocol::views::EdgeLines;

fn row(entry: &str, version: &str, line: u32) -> TableRow {
    TableRow {
        channel: "stable".into(),
        entry: entry.into(),
        version: version.into(),
        location: Location {
            file: "p/c.yaml".into(),
            line,
            ..Location::default()
        },
        ..TableRow::default()
    }
}

fn table() -> Vec<TableRow> {
    let newest = TableRow {
        replaces: "p.v1.3.0".into(),
        skips: vec!["p.v1.2.0".into(), "p.gone".into()],
        skip_range: ">=1.0.0 <1.4.0".into(),
        edge_lines: EdgeLines {
            replaces: 211,
            skips: vec![214, 215],
            skip_range: 212,
        },
        ..row("p.v1.4.0", "1.4.0", 210)
    };
    vec![
        newest,
        row("p.v1.3.0", "1.3.0", 208),
        row("p.v1.2.0", "1.2.0", 206),
    ]
}

#[test]
fn each_edge_has_its_own_line() {
    let edges: Vec<String> = explain_entry(&table(), "stable", "p.v1.4.0")
        .iter()
        .map(ExplainedEdge::text)
        .collect();
    assert_eq!(
        edges,
        [
            "1.4.0 replaces 1.3.0 in stable, line 211",
            "skipRange >=1.0.0 <1.4.0 of 1.4.0 in stable, line 212",
            "1.4.0 skips 1.2.0 in stable, line 214",
            "1.4.0 skips p.gone in stable, line 215",
        ]
    );
    let from_below: Vec<String> = explain_entry(&table(), "stable", "p.gone")
        .iter()
        .map(ExplainedEdge::text)
        .collect();
    assert_eq!(
        from_below,
        ["1.4.0 skips p.gone in stable, line 215"],
        "an absent entry shows the edges that name it"
    );
    assert!(explain_entry(&table(), "fast", "p.v1.4.0").is_empty());
}

#[test]
fn many_edges_are_counted() {
    let one = ExplainedEdge {
        sentence: "`a` skips `b`".into(),
        location: Location {
            line: 3,
            ..Location::default()
        },
    };
    let why = Explanation::new("t".into(), vec![one; MAX_EDGES + 2]);
    assert_eq!((why.edges.len(), why.more), (MAX_EDGES, 2));
    assert!(why.text().starts_with("a skips b, line 3; ") && why.text().ends_with("; and 2 more"));
}

#[test]
fn an_edge_is_named_by_its_place() {
    let bracket = CardSubject {
        lane: 2,
        edge: Some(EdgeKind::SkipRange),
        index: 10,
    };
    assert_eq!(CardSubject::from_edge_name("2-bracket-10"), Some(bracket));
    assert_eq!(bracket.selector(), "[data-edge=\"2-bracket-10\"]");
    assert_eq!(CardSubject::from_edge_name("0-link-1"), Some(ONE));
    for wrong in ["", "0-link", "x-link-1", "0-arrow-1"] {
        assert_eq!(CardSubject::from_edge_name(wrong), None, "{wrong}");
    }
}

const ONE: CardSubject = CardSubject {
    lane: 0,
    edge: Some(EdgeKind::Replaces),
    index: 1,
};
const OTHER: CardSubject = CardSubject { index: 2, ..ONE };

#[test]
fn a_card_opens_after_a_pause_and_stays_while_the_pointer_enters_it() {
    let mut card = Card::default();
    let (first, _) = card.set_subject(Some(ONE)).unwrap();
    assert_eq!(card.set_subject(Some(ONE)), None, "it rests already");
    assert_eq!(card.subject(), None);
    card.timer_ended(first);
    assert_eq!(card.subject(), Some(ONE));
    let (leaves, _) = card.set_subject(None).unwrap();
    card.hold();
    card.timer_ended(leaves);
    assert_eq!(
        card.subject(),
        Some(ONE),
        "the pointer came to the card in time"
    );
    let (leaves, _) = card.set_subject(None).unwrap();
    card.timer_ended(leaves);
    assert_eq!(card.subject(), None);
    assert_eq!(card.set_subject(None), None, "nothing to close");
}

#[test]
fn escape_closes_the_card_until_the_pointer_leaves() {
    let mut card = Card::default();
    let (first, _) = card.set_subject(Some(ONE)).unwrap();
    card.timer_ended(first);
    assert!(card.dismiss());
    assert!(!card.dismiss(), "the key is somebody else's then");
    let (again, _) = card.set_subject(None).unwrap_or((0, CLOSE_DELAY));
    card.timer_ended(again);
    let (other, _) = card.set_subject(Some(OTHER)).unwrap();
    card.timer_ended(other);
    assert_eq!(card.subject(), Some(OTHER));
    let (back, _) = card.set_subject(Some(ONE)).unwrap();
    card.timer_ended(other);
    assert_eq!(
        card.subject(),
        Some(OTHER),
        "a time that belongs to an earlier rest"
    );
    card.timer_ended(back);
    assert_eq!(card.subject(), Some(ONE));
    card.close();
    assert_eq!(card.subject(), None);
}

#[test]
fn the_date_comes_first() {
    let why = Explanation {
        date: "2021-07-05".into(),
        ..Explanation::new("t".into(), Vec::new())
    };
    assert_eq!(why.text(), "created 2021-07-05");
}
