//! A package's icon on its way to the page.

use super::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// An icon that would block the tab is not sent to the page.
#[test]
fn an_icon_that_is_too_much_to_draw_is_not_shown_but_its_reason() {
    let level = |n: u32| {
        format!(
            "<g id='l{}'>{}</g>",
            n + 1,
            format!("<use href='#l{n}'/>").repeat(10)
        )
    };
    let icon = STANDARD.encode(format!(
        "<svg><g id='l0'><path/></g>{}</svg>",
        (0..9).map(level).collect::<String>()
    ));
    let text = format!(
        "schema: olm.package\nname: p\ndefaultChannel: c\nicon:\n  base64data: {icon}\n  mediatype: image/svg+xml\n---\n\
         schema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n"
    );
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let package = bench.inspect("p", Target::Package);
    let IconView::Refused(reason) = &package.icon else {
        panic!("{:?}", package.icon)
    };
    assert!(reason.contains("more than a billion shapes"), "{reason}");
}

/// A chosen icon is checked against the same limits before it is shown.
#[test]
fn a_picture_that_is_chosen_has_the_limits_of_one_that_is_there() {
    let mut bench = Bench::new();
    let mut asked = |media_type: &str, bytes: &[u8]| {
        let request = CheckPicture {
            media_type: media_type.into(),
            data: STANDARD.encode(bytes),
        };
        let Ok(picture) = bench.host.answer(request) else {
            panic!()
        };
        picture
    };
    let drawn = asked("image/svg+xml", b"<svg><path d='M0 0h1'/></svg>");
    assert!(
        matches!(&drawn, IconView::Shown(url) if url.starts_with("data:image/svg+xml;base64,")),
        "{drawn:?}"
    );
    let large = [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x4e\x20\0\0\x4e\x20".as_slice(),
        &[0; 20],
    ]
    .concat();
    let IconView::Refused(reason) = asked("image/png", &large) else {
        panic!()
    };
    assert!(reason.contains("400 million pixels"), "{reason}");
    let IconView::Refused(reason) = asked("", b"some text") else {
        panic!()
    };
    assert!(reason.contains("do not show images of type"), "{reason}");
}
