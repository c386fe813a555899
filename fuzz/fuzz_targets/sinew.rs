//! Any bytes as a `.sinew` file, as they are and with the checksums that they should have: an error that says
//! something, or animations that give finite poses at any time.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play_pack.rs"]
mod play_pack;

use libfuzzer_sys::fuzz_target;
use sinew_formats::pack::PackView;

fn play(bytes: &[u8]) {
    match PackView::read(bytes) {
        Ok(view) => play_pack::play(&view),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fuzz_target!(|bytes: &[u8]| {
    play(bytes);
    let mut sealed = bytes.to_vec();
    play_pack::reseal(&mut sealed);
    play(&sealed);
});
