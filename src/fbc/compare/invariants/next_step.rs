//! Everyone has a next step, and it leads to the end: I1, I2, I6, and two of our own.

use super::scene::{Scene, lens_words};
use super::{Invariant, Severity, Told};
use crate::compare::{Effect, User};
use crate::hashed::{HashMap, HashSet};
use crate::place::Text;
use crate::upgrade::Lens;
use crate::upgrade::everyone::Course;

pub static SINGLE_REPLACEMENT: Invariant = Invariant {
    id: "I1",
    name: "single-replacement",
    severity: Severity::Warning,
    rule: "In each channel, every version but the head is replaced or skipped by exactly one entry of the chain; none is \
           allowed only where a skipRange of the chain holds the version.",
    why: "Where two entries name the same version, OLM Classic takes the one nearest to the head and OLM v1 the one of the \
          highest version: mostly the same, and what `opm`'s semver template makes, but no reader of the other entry \
          sees that it is passed by. With none it goes nowhere (`next-step-v0` tells of it as an error).",
    fix: "Let one entry replace it, and take the name out of the other's `replaces` or `skips`.",
    check: single_replacement,
};

pub static NEXT_STEP_CLASSIC: Invariant = Invariant {
    id: "I1'",
    name: "next-step-v0",
    severity: Severity::Error,
    rule: "Under OLM Classic every version but the head has a next step in its channel.",
    why: "Classic says nothing when nothing follows: the subscription reports `AtLatestKnown` and the operator is never \
          updated again.",
    fix: "Add the version to the head's `skips`, or widen its skipRange to `>=oldest <head`.",
    check: |scene, told| no_next(scene, told, Lens::V0),
};

pub static NEXT_STEP_V1: Invariant = Invariant {
    id: "I1''",
    name: "next-step-v1",
    severity: Severity::Error,
    rule: "Under OLM v1, with the channel named, every version but the head has another bundle as its next step.",
    why: "OLM v1 reports `no bundles found` when the installed version is gone and nothing follows, and stays silently \
          where it is otherwise.",
    fix: "Let an entry replace it, skip it or hold it in its skipRange.",
    check: |scene, told| no_next(scene, told, Lens::V1),
};

pub static DEAD_END: Invariant = Invariant {
    id: "I2",
    name: "dead-end",
    severity: Severity::Error,
    rule: "Following the next steps, every version comes to the head (Classic) and to what a fresh install gives (OLM \
           v1), without running in a circle.",
    why: "A version whose way ends elsewhere is never updated again from there; one whose steps run in a circle is \
          reinstalled for ever.",
    fix: "Let an entry above the dead end replace or skip it; bound a skipRange by `<` its own version.",
    check: dead_end,
};

pub static STRANDED: Invariant = Invariant {
    id: "I6",
    name: "stranded",
    severity: Severity::Error,
    rule: "A version that had a next step and is not the head has one still, under both lenses.",
    why: "Who runs it was on the way to newer versions and is cut off by this change.",
    fix: "Give the edge back: add the version to the head's `skips`, or widen its skipRange to `>=oldest <head`.",
    check: stranded,
};

pub static LOST_PATH: Invariant = Invariant {
    id: "",
    name: "lost-path",
    severity: Severity::Error,
    rule: "Every version comes at least as far as it came before.",
    why: "Its way ended at a newer version than it does now: the updates in between are lost to who runs it.",
    fix: "Look where its way breaks off (`switchyard path`), and let the next entry replace or skip that version.",
    check: lost_path,
};

pub static DOWNGRADE: Invariant = Invariant {
    id: "",
    name: "downgrade",
    severity: Severity::Error,
    rule: "No next step that this change makes leads to a lower version.",
    why: "Neither OLM compares versions on the way: an entry of a lower version that replaces, skips or covers a higher \
          one is taken as its update, and few operators survive going back.",
    fix: "Bound the skipRange by `<` the entry's own version, or take the higher version out of `replaces` and `skips`.",
    check: downgrade,
};

fn single_replacement(scene: &Scene<'_>, told: &mut Told<'_>) {
    for lane in scene.present() {
        let Some(chain) = lane.chain() else { continue };
        let entries = lane.entry_of();
        let mut named: HashMap<&str, Vec<&Text>> = HashMap::default();
        for name in chain {
            let Some(entry) = entries.get(&**name) else { continue };
            let mut targets: HashSet<&str> = entry.skips.iter().map(|s| s.as_str()).collect();
            targets.insert(entry.replaces.as_str());
            targets.into_iter().for_each(|target| named.entry(target).or_default().push(name));
        }
        for (number, name) in lane.below(scene) {
            match named.get(&*name).map_or(&[][..], Vec::as_slice) {
                [_] => {}
                [] if lane.v0(number).is_some_and(|course| course.next.is_some()) => {}
                [] => told.tell(
                    lane.name(),
                    &name,
                    format!("whoever runs `{name}` is left behind: no entry of the chain replaces, skips or covers it"),
                    head_help(lane.head(), &name),
                ),
                [first, second, ..] => {
                    let taken = [(Lens::V0, lane.v0(number)), (Lens::V1, lane.v1(number))]
                        .map(|(lens, course)| Some((lens, scene.name(course?.next.as_ref()?.to))));
                    let message = format!("`{first}` and `{second}` both update `{name}`: {}", which(&taken));
                    told.tell(lane.name(), &name, message, format!("take `{name}` out of `{second}`"));
                }
            }
        }
    }
}

/// Which of several entries the lenses take.
fn which(taken: &[Option<(Lens, Text)>; 2]) -> String {
    match taken {
        [Some((_, classic)), Some((_, v1))] if classic == v1 => format!("its users get `{classic}`"),
        taken => {
            let of = |(lens, name): &(Lens, Text)| format!("{} takes `{name}`", lens_words(*lens));
            let told: Vec<String> = taken.iter().flatten().map(of).collect();
            if told.is_empty() { "neither OLM takes one of them".to_owned() } else { told.join(", ") }
        }
    }
}

fn no_next(scene: &Scene<'_>, told: &mut Told<'_>, lens: Lens) {
    for lane in scene.present() {
        for (number, name) in lane.below(scene) {
            let course = match lens {
                Lens::V0 => lane.v0(number),
                Lens::V1 => lane.v1(number),
            };
            if course.is_some_and(|course| course.next.is_none()) {
                let message = format!("whoever runs `{name}` gets no update under {}", lens_words(lens));
                told.tell(lane.name(), &name, message, head_help(lane.head(), &name));
            }
        }
    }
}

fn dead_end(scene: &Scene<'_>, told: &mut Told<'_>) {
    for lane in scene.present() {
        let v1_end = lane.v1.new.end.clone();
        for &number in &lane.people {
            let name = scene.name(number);
            let mut told_of = |lens, course: Option<&Course>, end: Option<&Text>| {
                let Some(course) = course else { return };
                let last = scene.name(course.last);
                let under = lens_words(lens);
                if course.marks.looped {
                    let message =
                        format!("whoever runs `{name}` is updated in a circle under {under}, through `{last}`");
                    told.tell(lane.name(), &name, message, "bound the skipRange by `<` its own version".to_owned());
                } else if end != Some(&last) {
                    let fresh = end.map_or_else(|| "nothing".to_owned(), |end| format!("`{end}`"));
                    let comes = match name == last {
                        true => "gets no update".to_owned(),
                        false => format!("comes only as far as `{last}`"),
                    };
                    let message = format!("whoever runs `{name}` {comes} under {under}; a fresh install gets {fresh}");
                    told.tell(lane.name(), &name, message, end.map_or_else(String::new, |_| head_help(end, &last)));
                }
            };
            told_of(Lens::V0, lane.v0(number), lane.head());
            told_of(Lens::V1, lane.v1(number), v1_end.as_ref());
        }
    }
}

fn stranded(scene: &Scene<'_>, told: &mut Told<'_>) {
    let goes = |course: Option<&Course>| course.is_some_and(|c| c.next.is_some());
    for lane in &scene.lanes {
        for (number, name) in lane.below(scene) {
            let v0 = goes(lane.channel.v0.old.of(number)) && !goes(lane.v0(number));
            // With every channel asked for it may still go on; who names this one does not.
            let v1 = goes(lane.v1.old.of(number)) && !goes(lane.v1(number));
            let under = match (v0, v1) {
                (true, true) => "Classic and OLM v1",
                (true, false) => "Classic",
                (false, true) => "OLM v1",
                (false, false) => continue,
            };
            let message = format!("whoever runs `{name}` gets no update any more under {under}");
            told.tell(lane.name(), &name, message, head_help(lane.head(), &name));
        }
    }
    for user in of_v1(scene).filter(|user| user.effect == Some(Effect::Stranded)) {
        let name = &user.from.name;
        let message = format!("whoever runs `{name}` gets no update any more under OLM v1, with all channels too");
        told.tell(&Text::default(), name, message, String::new());
    }
}

fn lost_path(scene: &Scene<'_>, told: &mut Told<'_>) {
    for user in scene.users.iter().filter(|user| user.ends_lower()) {
        let (name, was, is) = (&user.from.name, &user.old_last.name, &user.new_last.name);
        let under = lens_words(user.lens);
        let message =
            format!("whoever runs `{name}` came as far as `{was}` under {under}, and now only to the lower `{is}`");
        told.tell(&channels_of(user), name, message, String::new());
    }
}

fn downgrade(scene: &Scene<'_>, told: &mut Told<'_>) {
    for user in scene.users.iter().filter(|user| user.effect == Some(Effect::Downgrade)) {
        let (name, under) = (&user.from.name, lens_words(user.lens));
        let next = user.new_next.as_ref().map_or("", |next| &next.name);
        let message = format!("whoever runs `{name}` is moved back to the lower `{next}` under {under}");
        told.tell(&channels_of(user), name, message, String::new());
    }
}

fn of_v1<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = &'s User> {
    scene.users.iter().filter(|user| user.lens == Lens::V1)
}

fn channels_of(user: &User) -> Text {
    user.channels.join(", ").into()
}

fn head_help(head: Option<&Text>, name: &str) -> String {
    head.map_or_else(String::new, |head| format!("let `{head}` skip `{name}`"))
}
