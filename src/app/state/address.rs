//! Formats and parses the view as the page's address after `#`, so that a reload and the back
//! button return to it. It contains names only: the files' content stays in the tab.

use super::store::Tab;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use protocol::request::Target;
use protocol::views::Lens;

/// Everything but characters that are readable and have no meaning in an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

const TABS: [(&str, Tab); 5] = [
    ("graph", Tab::Graph),
    ("table", Tab::Table),
    ("everyone", Tab::UpgradeMap),
    ("compare", Tab::Compare),
    ("source", Tab::Source),
];

pub fn tab_key(tab: Tab) -> &'static str {
    let listed = TABS.iter().find(|(_, listed)| *listed == tab);
    listed.map_or("", |(key, _)| key)
}

pub fn parse_tab(key: &str) -> Tab {
    let listed = TABS.iter().find(|(listed, _)| *listed == key);
    listed.map_or(Tab::Graph, |(_, tab)| *tab)
}

/// The view of an address that shows an operator repository instead of a package.
const REPOSITORY: &str = "repository";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Address {
    /// Whether the operator repository is in view. Then the other fields are empty.
    pub is_repository: bool,
    /// The catalog's name; "" is the whole session.
    pub root: String,
    pub package: String,
    /// Never a problem: their indices change with every edit.
    pub selection: Option<Target>,
    pub tab: Tab,
    pub lens: Lens,
    /// The cluster's OpenShift version; "" for none.
    pub cluster: String,
}

impl Address {
    /// Formats the fragment for the page's address, with the `#`. Omits defaults.
    pub fn fragment(&self) -> String {
        if self.is_repository {
            return format!("#view={REPOSITORY}");
        }
        let mut parts: Vec<(&str, &str)> =
            vec![("catalog", &self.root), ("package", &self.package)];
        match &self.selection {
            Some(Target::Entry { channel, name }) => {
                parts.extend([("channel", &**channel), ("entry", &**name)])
            }
            Some(Target::Channel { channel }) => parts.push(("channel", channel)),
            Some(Target::Bundle { name }) => parts.push(("bundle", name)),
            Some(Target::Package | Target::Problem { .. }) | None => {}
        }
        if self.tab != Tab::default() {
            parts.push(("view", tab_key(self.tab)));
        }
        parts.extend((self.lens == Lens::V1).then_some(("lens", "v1")));
        parts.push(("cluster", &self.cluster));
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ESCAPED)))
            .collect();
        format!("#{}", parts.join("&"))
    }

    /// Parses an address; `None` if it names neither a package nor the repository. Unknown parts
    /// are ignored.
    pub fn parse(fragment: &str) -> Option<Self> {
        let mut address = Self::default();
        let (mut channel, mut entry, mut bundle) = (None, None, None);
        for part in fragment.trim_start_matches('#').split('&') {
            let Some((name, value)) = part.split_once('=') else {
                continue;
            };
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            match name {
                "catalog" => address.root = value,
                "package" => address.package = value,
                "channel" => channel = Some(value),
                "entry" => entry = Some(value),
                "bundle" => bundle = Some(value),
                "view" if value == REPOSITORY => address.is_repository = true,
                "view" => address.tab = parse_tab(&value),
                "lens" if value == "v1" => address.lens = Lens::V1,
                "cluster" => address.cluster = value,
                _ => {}
            }
        }
        address.selection = match (channel, entry, bundle) {
            (Some(channel), Some(name), _) => Some(Target::Entry { channel, name }),
            (Some(channel), None, _) => Some(Target::Channel { channel }),
            (None, _, Some(name)) => Some(Target::Bundle { name }),
            (None, _, None) => None,
        };
        (address.is_repository || !address.package.is_empty()).then_some(address)
    }

    pub fn is_same_package(&self, other: &Self) -> bool {
        self.is_repository == other.is_repository
            && self.root == other.root
            && self.package == other.package
    }

    /// Whether both select the same object: moving between them is not a history step.
    pub fn is_same_selection(&self, other: &Self) -> bool {
        self.is_same_package(other) && self.selection == other.selection
    }
}

/// Browsers keep about this many steps of a page.
const MAX_STEPS: u32 = 50;

/// The current step in the browser's history, which has an address per selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HistoryPosition {
    first: u32,
    current: u32,
    last: u32,
    /// The step at which the user went back or forward, until a selection that exists is found.
    origin: Option<u32>,
}

impl HistoryPosition {
    /// Returns the position after a reload at this step. Later steps are unknown.
    pub fn at(step: u32) -> Self {
        Self {
            current: step,
            last: step,
            ..Self::default()
        }
    }

    pub fn current(self) -> u32 {
        self.current
    }

    pub fn can_go_back(self) -> bool {
        self.current > self.first
    }

    pub fn can_go_forward(self) -> bool {
        self.current < self.last
    }

    /// Adds a step after the current one, which drops the later ones.
    pub fn push(&mut self) {
        self.current += 1;
        self.last = self.current;
        self.first = self.first.max(self.last.saturating_sub(MAX_STEPS - 1));
        self.origin = None;
    }

    /// Moves to a step that the browser shows.
    pub fn move_to(&mut self, step: u32) {
        self.origin = self.origin.or(Some(self.current));
        self.current = step;
        self.last = self.last.max(step);
    }

    /// Ends a movement: the selection of the current step exists.
    pub fn arrive(&mut self) {
        self.origin = None;
    }

    /// Passes a step whose selection does not exist. Returns how far to go on: further in the same
    /// direction, or at the end back to the origin, after which that end is not offered again.
    pub fn skip(&mut self) -> i32 {
        let origin = self.origin.unwrap_or(self.current);
        let is_back = self.current < origin;
        if is_back && self.can_go_back() {
            return -1;
        }
        if !is_back && self.can_go_forward() {
            return 1;
        }
        if is_back {
            self.first = origin;
        } else {
            self.last = origin;
        }
        origin as i32 - self.current as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        let entry = Target::Entry {
            channel: "stable-1.0".into(),
            name: "p.v1.0.0+a b&c#%".into(),
        };
        let all = [
            Address {
                package: "p".into(),
                ..Address::default()
            },
            Address {
                root: "community/v4.20".into(),
                package: "sailoperator".into(),
                selection: Some(entry),
                tab: Tab::Table,
                lens: Lens::V1,
                cluster: "v4.18.0-rc.1".into(),
                ..Address::default()
            },
            Address {
                is_repository: true,
                ..Address::default()
            },
            Address {
                package: "ä".into(),
                selection: Some(Target::Channel {
                    channel: "c".into(),
                }),
                tab: Tab::Source,
                ..Address::default()
            },
            Address {
                package: "p".into(),
                selection: Some(Target::Bundle {
                    name: "p.v1".into(),
                }),
                ..Address::default()
            },
        ];
        for address in all {
            let fragment = address.fragment();
            assert!(fragment.is_ascii() && !fragment.contains(' '), "{fragment}");
            assert_eq!(Address::parse(&fragment), Some(address), "{fragment}");
        }
    }

    #[test]
    fn addresses_are_readable() {
        let address = Address {
            root: "community/v4.20".into(),
            package: "p".into(),
            selection: Some(Target::Entry {
                channel: "stable".into(),
                name: "p.v1.0.0".into(),
            }),
            ..Address::default()
        };
        assert_eq!(
            address.fragment(),
            "#catalog=community/v4.20&package=p&channel=stable&entry=p.v1.0.0"
        );
    }

    #[test]
    fn invalid_parts_are_ignored() {
        assert_eq!(Address::parse(""), None);
        assert_eq!(Address::parse("#channel=a"), None);
        let odd = Address::parse("#package=p%2&x=y&lens=v7&view=moon&zoom=far&entry=e").unwrap();
        assert_eq!(
            odd,
            Address {
                package: "p%2".into(),
                ..Address::default()
            }
        );
    }

    #[test]
    fn problems_are_not_named() {
        let address = Address {
            package: "p".into(),
            selection: Some(Target::Problem { index: 3 }),
            ..Address::default()
        };
        assert_eq!(address.fragment(), "#package=p");
    }

    /// Moves like the browser. Only the steps in `alive` still exist.
    fn walk(position: &mut HistoryPosition, step: i32, alive: &[u32]) {
        let mut step = step;
        while step != 0 {
            let next = position.current().saturating_add_signed(step);
            position.move_to(next);
            step = if alive.contains(&next) {
                position.arrive();
                0
            } else {
                position.skip()
            };
        }
    }

    fn pushed(steps: u32) -> HistoryPosition {
        let mut position = HistoryPosition::default();
        (0..steps).for_each(|_| position.push());
        position
    }

    #[test]
    fn history_has_two_ends() {
        let mut position = pushed(2);
        assert!(position.can_go_back() && !position.can_go_forward());
        walk(&mut position, -1, &[0, 1, 2]);
        assert_eq!(position.current(), 1);
        assert!(position.can_go_back() && position.can_go_forward());
        walk(&mut position, -1, &[0, 1, 2]);
        assert!(!position.can_go_back() && position.can_go_forward());
        position.push();
        assert!(!position.can_go_forward(), "later steps are dropped");
        assert!(!HistoryPosition::at(3).can_go_forward(), "after a reload");
    }

    #[test]
    fn removed_selections_are_skipped() {
        let mut position = pushed(4);
        walk(&mut position, -1, &[0, 1, 4]);
        assert_eq!(position.current(), 1);
        walk(&mut position, 1, &[0, 1, 4]);
        assert_eq!(position.current(), 4);
        walk(&mut position, -1, &[4]);
        assert_eq!(position.current(), 4, "nothing else exists");
        assert!(!position.can_go_back());
    }

    #[test]
    fn history_is_bounded() {
        let mut position = pushed(200);
        (0..MAX_STEPS - 1).for_each(|_| walk(&mut position, -1, &(0..=200).collect::<Vec<_>>()));
        assert!(!position.can_go_back());
    }
}
