//! Saving a character in mid-play.

use common::{Actor, spring};
use sinew::glam::Vec2;
use sinew::skelform::{ArmatureState, PhysicsData};
use sinew_testing::characters as common;

#[test]
fn a_restored_state_continues_to_the_bit() {
    let physics = PhysicsData {
        sway: 2.0,
        position_damping: 7.0,
        rotation_bounce: 0.6,
        ..PhysicsData::default()
    };
    let mut actor = Actor::new(spring((3.0, -20.0), physics));
    actor.settings.velocity = Vec2::new(1.7, 0.3);
    for _ in 0..25 {
        actor.construct();
    }
    let saved = serde_json::to_string(&actor.state).unwrap();
    let continued: Vec<Vec2> = (0..25).map(|_| actor.construct().position(1)).collect();
    actor.state = serde_json::from_str::<ArmatureState>(&saved).unwrap();
    let restored: Vec<Vec2> = (0..25).map(|_| actor.construct().position(1)).collect();
    assert_eq!(continued, restored);
}
