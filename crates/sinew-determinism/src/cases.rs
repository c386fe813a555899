//! The cases with their expected hashes. A changed hash means that poses changed: the commit says why.

use crate::{Result, motion, pip};
use sinew::skelform::PhysicsStep;
use sinew_author::compress::Profile;

/// One computation and the hashes that it must give.
pub struct Case {
    /// What is computed.
    pub name: &'static str,
    /// What each hash is of, and the hash.
    pub expected: &'static [(&'static str, u64)],
    /// Computes the hashes, in the order of `expected`.
    pub compute: fn() -> Result<Vec<u64>>,
}

/// All cases: ten seconds each.
pub const CASES: [Case; 10] = [
    Case {
        name: "Pip, physics per call",
        expected: &[("vertices and bones", 0x7dbd_ba54_a10c_4308)],
        compute: || pip::play(PhysicsStep::PerCall),
    },
    Case {
        name: "Pip, physics at 144 Hz",
        expected: &[("vertices and bones", 0x8357_5870_2767_7851)],
        compute: || pip::play(PhysicsStep::Seconds(1.0 / 144.0)),
    },
    Case {
        name: "Pip, controller",
        expected: &[("bones", 0xc72a_a7da_be8f_8034)],
        compute: pip::control,
    },
    Case {
        name: "figure, controller",
        expected: &[("local poses", 0x915e_9220_3c54_f963)],
        compute: motion::control,
    },
    Case {
        name: "walk, dance-turn and their mirror images",
        expected: &[
            ("model poses of walk", 0xfd49_72a3_9a61_9631),
            ("model poses of dance-turn", 0xbdb6_91b9_d6a9_24b5),
        ],
        compute: || Ok(vec![motion::sample("walk")?, motion::sample("dance-turn")?]),
    },
    Case {
        name: "walk, packed small",
        expected: &[
            ("bytes", 0x6df0_ac0a_2dc8_a6a3),
            ("local poses at every SIMD level", 0x9f59_138f_e6d1_9abc),
        ],
        compute: || motion::pack("walk", Profile::Small),
    },
    Case {
        name: "walk, packed fast",
        expected: &[
            ("bytes", 0xed4a_5e27_7342_ab30),
            ("local poses at every SIMD level", 0xcd5e_104a_a936_097d),
        ],
        compute: || motion::pack("walk", Profile::Fast),
    },
    Case {
        name: "walk and run, registered",
        expected: &[("curve and blended points", 0x952f_f8fd_64e0_0010)],
        compute: motion::register_and_blend,
    },
    Case {
        name: "walk, retargeted",
        expected: &[("local poses and measures", 0x9fed_7f8d_9ab7_768b)],
        compute: motion::retarget_walk,
    },
    Case {
        name: "walk over run, blended",
        expected: &[(
            "skinning matrices at every SIMD level",
            0x8cc2_dd38_f7a6_2102,
        )],
        compute: motion::blend_stages,
    },
];
