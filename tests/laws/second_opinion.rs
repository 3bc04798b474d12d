//! Compares the structure and places of a text with another parser.

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, options};
use syntax::tree::{NodeId, NodeKind};
use syntax::{scalar, yaml};

/// Compares structure and scalar places with a YAML 1.2 parser; the error describes the difference.
/// Ignores block scalars and absent values, which have other places there.
pub fn compare_with_another_parser(text: &str) -> Result<(), String> {
    let options = options! { emit_comments: false };
    let mut theirs = Vec::new();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|e| e.to_string())?;
        let range = span.byte_range().unwrap_or_default();
        theirs.push(match event {
            Event::Scalar(value, ..) if value.is_empty() || range.is_empty() => {
                "absent or empty".to_owned()
            }
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => "block".to_owned(),
            Event::Scalar(..) => format!("scalar {range:?}"),
            Event::Alias(..) => format!("alias {range:?}"),
            Event::SequenceStart(StructureStyle::Flow, ..) => format!("[ {}", range.start),
            Event::MappingStart(StructureStyle::Flow, ..) => format!("{{ {}", range.start),
            Event::SequenceStart(..) => "- list".to_owned(),
            Event::MappingStart(..) => "mapping".to_owned(),
            Event::SequenceEnd | Event::MappingEnd => "end".to_owned(),
            _ => continue,
        });
    }
    let tree = yaml::parse(text.as_bytes()).map_err(|e| e.opm)?;
    let mut ours = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    for i in 0..=tree.len() as u32 {
        while ends.last() == Some(&i) {
            ends.pop();
            ours.push("end".to_owned());
        }
        if i == tree.len() as u32 {
            break;
        }
        let node = tree.node(NodeId(i));
        let range = tree.range(NodeId(i));
        if node.kind.is_mapping() || node.kind.is_sequence() {
            ends.push(node.next);
        }
        ours.push(match node.kind {
            NodeKind::Absent => "absent or empty".to_owned(),
            NodeKind::Literal | NodeKind::Folded
                if scalar::decode(&tree, text.as_bytes(), NodeId(i)).is_empty() =>
            {
                "absent or empty".to_owned()
            }
            NodeKind::SingleQuoted | NodeKind::DoubleQuoted if range.len() == 2 => {
                "absent or empty".to_owned()
            }
            NodeKind::Literal | NodeKind::Folded => "block".to_owned(),
            NodeKind::Alias => format!("alias {range:?}"),
            NodeKind::FlowSequence => format!("[ {}", range.start),
            NodeKind::FlowMapping => format!("{{ {}", range.start),
            NodeKind::BlockSequence => "- list".to_owned(),
            NodeKind::BlockMapping => "mapping".to_owned(),
            _ => format!("scalar {range:?}"),
        });
    }
    let differs = ours
        .iter()
        .zip(&theirs)
        .position(|(ours, theirs)| ours != theirs);
    match differs {
        Some(i) => Err(format!("event {i}: ours {}, theirs {}", ours[i], theirs[i])),
        None if ours.len() != theirs.len() => {
            Err(format!("{} events, {} theirs", ours.len(), theirs.len()))
        }
        None => Ok(()),
    }
}
