//! Bones in an order in which every parent precedes its children.

use super::json::FieldPath;
use crate::Warnings;

/// Mapping from file order to the new order, and the parents as new indices.
pub(super) struct BoneOrder {
    /// File index of each new index.
    pub(super) from_file: Vec<usize>,
    /// New index of each file index.
    pub(super) to_new: Vec<usize>,
}

/// Sorts bones with as few changes as possible, and breaks cycles in `parents`.
pub(super) fn order(
    parents: &mut [Option<usize>],
    names: &[String],
    warnings: &mut Warnings,
) -> BoneOrder {
    let count = parents.len();
    let mut from_file = Vec::with_capacity(count);
    let mut placed = vec![false; count];
    let mut in_walk = vec![usize::MAX; count];
    let mut walk = Vec::new();
    for start in 0..count {
        // Walk up through the ancestors that are not placed yet, then place them from the top.
        let mut bone = start;
        while !placed[bone] {
            in_walk[bone] = start;
            walk.push(bone);
            let Some(parent) = parents[bone] else { break };
            if in_walk[parent] == start {
                let place = FieldPath::new("bone", bone, &names[bone]);
                let problem =
                    format!("bone {parent} is this bone or a descendant of it; made a root");
                warnings.add(place, "parent_id", problem);
                parents[bone] = None;
                break;
            }
            bone = parent;
        }
        while let Some(bone) = walk.pop() {
            placed[bone] = true;
            from_file.push(bone);
        }
    }
    let mut to_new = vec![0; count];
    for (new, &old) in from_file.iter().enumerate() {
        to_new[old] = new;
    }
    if let Some(moved) = (0..count).find(|&i| from_file[i] != i) {
        let place = FieldPath::new("bone", moved, &names[moved]);
        warnings.add(
            place,
            "",
            "a parent follows its child; bones were reordered",
        );
    }
    BoneOrder { from_file, to_new }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(parents: &[Option<usize>]) -> (Vec<Option<usize>>, Vec<usize>, usize) {
        let mut parents = parents.to_vec();
        let names = vec![String::new(); parents.len()];
        let mut warnings = Warnings::default();
        let order = order(&mut parents, &names, &mut warnings);
        (parents, order.from_file, warnings.count())
    }

    #[test]
    fn ordered_bones_stay_where_they_are() {
        let parents = [None, Some(0), Some(0), Some(2)];
        assert_eq!(run(&parents), (parents.to_vec(), vec![0, 1, 2, 3], 0));
    }

    #[test]
    fn a_parent_moves_before_its_child() {
        let (_, from_file, warnings) = run(&[Some(2), None, None]);
        assert_eq!(from_file, [2, 0, 1]);
        assert_eq!(warnings, 1);
    }

    #[test]
    fn circles_are_cut_once() {
        let (parents, from_file, _) = run(&[Some(1), Some(2), Some(0)]);
        assert_eq!(parents.iter().filter(|p| p.is_none()).count(), 1);
        assert_eq!(from_file.len(), 3);
        assert_eq!(run(&[Some(0)]).0, [None]);
    }
}
