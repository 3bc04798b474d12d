//! Marks on edited things.

use super::*;

#[test]
fn they_tell_of_what_is_not_saved() {
    let (mut bench, _) = Bench::sample();
    let path = "sample/lantern/catalog.yaml".to_owned();
    let marked = |bench: &mut Bench| {
        let answer = bench.host.answer(Packages {
            root: "sample".into(),
        });
        let Ok(rows) = answer else { panic!() };
        rows.into_iter()
            .filter(|row| row.edited)
            .map(|row| row.name)
            .collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(marked(&mut bench), none);
    assert!(bench.apply(default_channel("candidate")).is_ok());
    assert_eq!(marked(&mut bench), ["lantern"]);
    let written = bench.export(Export::File { path: path.clone() });
    bench
        .host
        .handle_with_files(
            NoteSaved {},
            vec![DiskFile {
                path,
                bytes: Ok(Some(written)),
            }],
        )
        .unwrap();
    assert_eq!(marked(&mut bench), none);
    bench.host.answer(Undo { view: None }).unwrap();
    assert_eq!(
        marked(&mut bench),
        ["lantern"],
        "it is not as it is on disk"
    );
    bench.host.answer(Redo { view: None }).unwrap();
    assert_eq!(marked(&mut bench), none);
}
