//! What several features show alike: what an edit would do and did, files as they change, places, pictures, ways out of a
//! problem. Unlike a widget a piece knows catalogs and may ask the desk; it does not know who shows it.

pub mod broken;
pub mod caught;
pub mod consequences;
pub mod console;
pub mod diff;
pub mod fix;
pub mod other_ways;
pub mod picture;
pub mod place_link;
pub mod preview;
pub mod rendered;
