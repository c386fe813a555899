//! Parser of the section `:bonedata`; each bone is validated on its own.

use super::bone_limits::Limits;
use super::fields::{axis_order, dofs, excess, too_few, triple};
use super::model::AsfBone;
use super::report::Report;
use super::scan::{Token, Tokens, decode};
use crate::escape;
use crate::limits::{MAX_COORDINATE, MAX_JOINTS, MAX_TEXT_BYTES};
use crate::text::{ParsedNumber, Rule, TextError};
use std::collections::HashMap;

/// Keywords allowed in a bone.
const FIELDS: [&str; 9] = [
    "id",
    "name",
    "direction",
    "length",
    "axis",
    "dof",
    "limits",
    "bodymass",
    "cofmass",
];

/// Maximum deviation of a direction from unit length without a warning. Files write six digits.
const DIRECTION_TOLERANCE: f64 = 1e-2;

/// A validated bone without a parent yet.
pub(super) struct BoneDraft {
    pub(super) bone: AsfBone,
}

/// The current bone.
struct OpenBone<'a> {
    begin: Token<'a>,
    bone: AsfBone,
    seen: Vec<&'static str>,
    direction: Option<Token<'a>>,
    name: Option<Token<'a>>,
    limits: Option<Limits<'a>>,
    /// Whether numbers are limits.
    in_limits: bool,
}

/// Parser of bones.
#[derive(Default)]
pub(super) struct BoneReader<'a> {
    pub(super) bones: Vec<BoneDraft>,
    /// Number of bones with degrees of freedom and without limits.
    pub(super) unlimited: usize,
    open: Option<OpenBone<'a>>,
    names: HashMap<String, usize>,
    folded: HashMap<String, usize>,
    ids: HashMap<i64, usize>,
}

fn field_of(token: &Token<'_>) -> Option<&'static str> {
    FIELDS.iter().find(|name| token.is(name)).copied()
}

fn known(token: &Token<'_>) -> bool {
    field_of(token).is_some() || token.is("end") || token.is("begin")
}

impl<'a> BoneReader<'a> {
    /// Parses the tokens of one line.
    pub(super) fn tokens(
        &mut self,
        mut tokens: Tokens<'a>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        let mut first = true;
        while let Some(token) = tokens.next() {
            let line_start = std::mem::replace(&mut first, false);
            if token.is("begin") {
                self.begin(token)?;
            } else if token.is("end") {
                match self.open.take() {
                    Some(open) => self.close(open, token, report)?,
                    None => stray(token, &mut tokens, report)?,
                }
            } else if let Some(open) = &mut self.open {
                open.token(token, line_start, &mut tokens, report)?;
            } else {
                stray(token, &mut tokens, report)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, token: Token<'a>) -> Result<(), TextError> {
        if let Some(open) = &self.open {
            return Err(open.unterminated(&format!("`begin` in line {}", token.line)));
        }
        if self.bones.len() >= MAX_JOINTS {
            return Err(token.error(
                Rule::TooLarge,
                format!("at most {MAX_JOINTS} bones"),
                "more",
            ));
        }
        self.open = Some(OpenBone {
            begin: token,
            bone: AsfBone {
                line: token.line,
                ..AsfBone::default()
            },
            seen: Vec::new(),
            direction: None,
            name: None,
            limits: None,
            in_limits: false,
        });
        Ok(())
    }

    /// Ends the section, at the keyword of the next or at the end of the file.
    pub(super) fn end(&mut self, next: Option<Token<'a>>) -> Result<(), TextError> {
        let Some(open) = &self.open else {
            return Ok(());
        };
        Err(open.unterminated(&match next {
            Some(token) => format!("{} in line {}", token.shown(), token.line),
            None => "the end of the file".to_owned(),
        }))
    }

    fn close(
        &mut self,
        open: OpenBone<'a>,
        end: Token<'a>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        for field in ["name", "direction", "length", "axis"] {
            if !open.seen.contains(&field) {
                return Err(end.error(
                    Rule::MissingField,
                    format!("`{field}` in {}", open.described()),
                    "`end`",
                ));
            }
        }
        let mut bone = open.bone;
        if let Some(token) = open.name {
            self.check_name(&bone, token, report)?;
        }
        if let Some(id) = bone.id
            && let Some(line) = self.ids.insert(id, bone.line)
        {
            let error = TextError {
                rule: Rule::DuplicateId,
                line: bone.line,
                column: 0,
                expected: "a unique id for each bone".to_owned(),
                found: format!(
                    "id {id} of bone {}, which the bone in line {line} has too",
                    escape::text(&bone.name)
                ),
            };
            report.fault(error, "ids are not used")?;
        }
        if let Some(token) = open.direction {
            bone.direction = normalized(&bone, token, report)?;
        }
        if let Some(limits) = open.limits {
            bone.limits = limits.finish(&bone, report)?;
        } else if !bone.dof.is_empty() {
            self.unlimited += 1;
        }
        self.bones.push(BoneDraft { bone });
        Ok(())
    }

    fn check_name(
        &mut self,
        bone: &AsfBone,
        token: Token<'_>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        if token.is("root") {
            return Err(token.error(
                Rule::ReservedName,
                "another name: `root` is not a bone",
                token.shown(),
            ));
        }
        if let Some(line) = self.names.insert(bone.name.clone(), bone.line) {
            return Err(token.error(
                Rule::DuplicateBone,
                format!("a unique name for each bone; the bone in line {line} has it too"),
                token.shown(),
            ));
        }
        let folded = bone.name.to_ascii_lowercase();
        if let Some(line) = self.folded.insert(folded, bone.line) {
            let problem = format!(
                "bone {} differs only in its capitals from the bone in line {line}",
                token.shown()
            );
            report.warn(token, problem);
        }
        Ok(())
    }
}

/// Handles a word between bones.
fn stray(token: Token<'_>, tokens: &mut Tokens<'_>, report: &mut Report) -> Result<(), TextError> {
    let error = token.error(
        Rule::BadStructure,
        "`begin` of a bone, or a section",
        token.shown(),
    );
    report.fault(error, "ignored with its line")?;
    while tokens.next().is_some() {}
    Ok(())
}

impl<'a> OpenBone<'a> {
    fn described(&self) -> String {
        let line = self.begin.line;
        match self.name {
            Some(name) => format!("bone {}, begun in line {line}", name.shown()),
            None => format!("the bone begun in line {line}"),
        }
    }

    fn unterminated(&self, found: &str) -> TextError {
        let expected = match self.name {
            Some(name) => format!("`end` of bone {} that begins here", name.shown()),
            None => "`end` of the bone that begins here".to_owned(),
        };
        self.begin.error(Rule::UnterminatedBone, expected, found)
    }

    fn token(
        &mut self,
        token: Token<'a>,
        line_start: bool,
        tokens: &mut Tokens<'a>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        if let Some(name) = field_of(&token) {
            self.in_limits = false;
            return self.field(token, name, tokens, report);
        }
        let numeric = token
            .text
            .first()
            .is_some_and(|b| b"+-.0123456789".contains(b));
        let infinite = matches!(token.classify(), ParsedNumber::NonFinite);
        if self.in_limits
            && (numeric || infinite || !line_start)
            && let Some(limits) = &mut self.limits
        {
            return limits.push(token, report);
        }
        self.in_limits = false;
        let problem = format!("unknown field {} of a bone, ignored", token.shown());
        report.warn(token, problem);
        while tokens.peek().is_some_and(|token| !known(&token)) {
            tokens.next();
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: Token<'a>,
        name: &'static str,
        tokens: &mut Tokens<'a>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        let mut bone = AsfBone::default();
        match name {
            "id" => bone.id = Some(id(field, tokens.next())?),
            "name" => {
                let token = tokens.next().ok_or_else(|| too_few(field, 1, "", 0))?;
                if token.text.len() > MAX_TEXT_BYTES {
                    return Err(token.error(
                        Rule::TooLarge,
                        format!("a name of at most {MAX_TEXT_BYTES} bytes"),
                        format!("{} bytes", token.text.len()),
                    ));
                }
                bone.name = decode(token.text);
                if !self.seen.contains(&name) {
                    self.name = Some(token);
                }
            }
            "direction" => bone.direction = triple(field, tokens)?,
            "length" => bone.length = length(field, tokens.next())?,
            "axis" => {
                bone.axis = triple(field, tokens)?;
                match tokens.peek().filter(|token| !known(token)) {
                    Some(token) => {
                        tokens.next();
                        bone.axis_order = axis_order(field, Some(token))?;
                    }
                    None => {
                        if let Err(error) = axis_order(field, None) {
                            report.fault(error, "read as XYZ")?;
                        }
                    }
                }
            }
            "dof" => bone.dof = dofs(field, tokens, known, report)?,
            "limits" => {}
            "bodymass" => bone.bodymass = Some(one(field, tokens.next())?),
            _ => bone.cofmass = Some(one(field, tokens.next())?),
        }
        if !matches!(name, "dof" | "limits") {
            excess(field, tokens, known, report)?;
        }
        let first = !self.seen.contains(&name);
        if !first {
            let error = field.error(
                Rule::DuplicateField,
                format!("`{name}` once in {}", self.described()),
                format!("{} again", field.shown()),
            );
            report.fault(error, "the first one is used")?;
        }
        if name == "limits" {
            // The limits of a duplicate field are read and discarded.
            self.in_limits = true;
            let mut limits = Limits::new(field, first);
            if first && self.bone.dof.is_empty() {
                let error = field.error(
                    Rule::LimitsWithoutDof,
                    "`dof` before `limits`",
                    format!("`limits` in {}", self.described()),
                );
                report.fault(error, "the limits are ignored")?;
                limits.keep = false;
            }
            if first || self.limits.is_none() {
                self.limits = Some(limits);
            } else if let Some(old) = &mut self.limits {
                old.keep = false;
            }
        }
        if first {
            self.seen.push(name);
            if name == "direction" {
                self.direction = Some(field);
            }
            self.take(name, bone);
        }
        Ok(())
    }

    fn take(&mut self, name: &str, from: AsfBone) {
        let bone = &mut self.bone;
        match name {
            "id" => bone.id = from.id,
            "name" => bone.name = from.name,
            "direction" => bone.direction = from.direction,
            "length" => bone.length = from.length,
            "axis" => {
                bone.axis = from.axis;
                bone.axis_order = from.axis_order;
            }
            "dof" => bone.dof = from.dof,
            "bodymass" => bone.bodymass = from.bodymass,
            "cofmass" => bone.cofmass = from.cofmass,
            _ => {}
        }
    }
}

fn one(field: Token<'_>, token: Option<Token<'_>>) -> Result<f64, TextError> {
    let token = token.ok_or_else(|| too_few(field, 1, "", 0))?;
    token.number(&format!("`{}`", decode(field.text).to_ascii_lowercase()))
}

fn id(field: Token<'_>, token: Option<Token<'_>>) -> Result<i64, TextError> {
    let token = token.ok_or_else(|| too_few(field, 1, "", 0))?;
    let value = token.number("`id`")?;
    // Integers up to this are exact.
    if value.trunc() == value && value.abs() <= 9e15 {
        return Ok(value as i64);
    }
    Err(token.error(
        Rule::ExpectedNumber,
        "a whole number for `id`",
        token.shown(),
    ))
}

fn length(field: Token<'_>, token: Option<Token<'_>>) -> Result<f64, TextError> {
    let value = one(field, token)?;
    let token = token.unwrap_or(field);
    if value < 0.0 {
        return Err(token.error(
            Rule::NegativeLength,
            "a length of zero or more",
            token.shown(),
        ));
    }
    if value > MAX_COORDINATE {
        return Err(token.error(
            Rule::TooLarge,
            format!("a length of at most {MAX_COORDINATE:e}"),
            token.shown(),
        ));
    }
    Ok(value)
}

/// Returns a direction of unit length.
fn normalized(
    bone: &AsfBone,
    token: Token<'_>,
    report: &mut Report,
) -> Result<[f64; 3], TextError> {
    let [x, y, z] = bone.direction;
    let largest = x.abs().max(y.abs()).max(z.abs());
    if largest == 0.0 {
        if bone.length == 0.0 {
            return Ok([0.0; 3]);
        }
        return Err(token.error(
            Rule::ZeroDirection,
            format!("a direction for a bone of length {}", bone.length),
            "0 0 0",
        ));
    }
    // Scaled, so that squares neither overflow nor underflow.
    let [x, y, z] = [x / largest, y / largest, z / largest];
    let scaled = (x * x + y * y + z * z).sqrt();
    let length = scaled * largest;
    if (length - 1.0).abs() > DIRECTION_TOLERANCE {
        let error = token.error(
            Rule::NotNormalised,
            "a direction of length 1",
            format!("one of length {length:.6}"),
        );
        report.fault(error, "normalized")?;
    }
    Ok([x / scaled, y / scaled, z / scaled])
}
