//! Parser of the sections of a skeleton file; the hierarchy is resolved afterwards.

use super::bone::BoneReader;
use super::fields::{axis_order, dofs, excess, too_few, triple};
use super::hierarchy::AsfHierarchyReader;
use super::model::{AngleUnit, Asf, AsfRoot, Dof};
use super::report::Report;
use super::scan::{Line, Lines, Token, Tokens, decode, text_of};
use crate::limits::MAX_SKINS;
use crate::text::{ParsedNumber, Rule, TextError};

/// The current section of the parser.
enum AsfSection {
    /// Before the first section.
    Start,
    Version,
    Name,
    Units,
    Documentation,
    Root,
    Bones,
    Hierarchy,
    Skin,
    Unknown,
}

/// The state of the parser.
struct Parser<'a> {
    asf: Asf,
    report: Report,
    section: AsfSection,
    /// Sections so far, with their lines.
    begun: Vec<(&'static str, usize)>,
    any_section: bool,
    /// Fields of the current section so far.
    fields: Vec<&'static str>,
    has_order: bool,
    bones: BoneReader<'a>,
    hierarchy: AsfHierarchyReader<'a>,
}

/// Sections that may occur once.
const SECTIONS: [&str; 7] = [
    ":version",
    ":name",
    ":units",
    ":documentation",
    ":root",
    ":bonedata",
    ":hierarchy",
];

/// Reads a whole file.
pub(super) fn parse(bytes: &[u8], lenient: bool) -> Result<Asf, TextError> {
    let mut parser = Parser {
        asf: Asf::default(),
        report: Report::new(lenient),
        section: AsfSection::Start,
        begun: Vec::new(),
        any_section: false,
        fields: Vec::new(),
        has_order: false,
        bones: BoneReader::default(),
        hierarchy: AsfHierarchyReader::default(),
    };
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next()? {
        parser.line(line)?;
    }
    parser.finish(lines.number())
}

impl<'a> Parser<'a> {
    fn line(&mut self, line: Line<'a>) -> Result<(), TextError> {
        let mut tokens = Tokens::new(line);
        if let Some(first) = tokens.peek()
            && first.text.starts_with(b":")
        {
            tokens.next();
            self.begin_section(first)?;
            return self.content(tokens.rest(), tokens, true);
        }
        self.content(line, tokens, false)
    }

    /// Parses a line of the current section, or the text after its keyword.
    fn content(
        &mut self,
        line: Line<'a>,
        tokens: Tokens<'a>,
        beside: bool,
    ) -> Result<(), TextError> {
        match self.section {
            AsfSection::Start => match tokens.peek() {
                Some(token) => Err(token.error(
                    Rule::NotThisFormat,
                    "a section of an ASF skeleton such as `:version`",
                    token.shown(),
                )),
                None => Ok(()),
            },
            AsfSection::Version => self.version(tokens),
            AsfSection::Name => {
                let text = text_of(line);
                if beside {
                    self.asf.name = text;
                    Ok(())
                } else {
                    self.stray(tokens, "a section")
                }
            }
            AsfSection::Units => self.units(tokens),
            AsfSection::Documentation => {
                let text = decode(line.text.trim_ascii());
                if !(beside && text.is_empty()) {
                    if !self.asf.documentation.is_empty() {
                        self.asf.documentation.push('\n');
                    }
                    self.asf.documentation.push_str(&text);
                }
                Ok(())
            }
            AsfSection::Root => self.root(tokens),
            AsfSection::Bones => self.bones.tokens(tokens, &mut self.report),
            AsfSection::Hierarchy => self.hierarchy.tokens(tokens, &mut self.report),
            AsfSection::Skin => {
                let text = text_of(line);
                if self.asf.skin.len() >= MAX_SKINS {
                    return Err(TextError {
                        rule: Rule::TooLarge,
                        line: line.number,
                        column: 0,
                        expected: format!("at most {MAX_SKINS} skins"),
                        found: "more".to_owned(),
                    });
                }
                if !text.is_empty() {
                    self.asf.skin.push(text);
                }
                Ok(())
            }
            AsfSection::Unknown => Ok(()),
        }
    }

    fn begin_section(&mut self, keyword: Token<'a>) -> Result<(), TextError> {
        self.end_section(Some(keyword))?;
        self.fields.clear();
        self.section = AsfSection::Unknown;
        if keyword.is(":skin") {
            self.any_section = true;
            self.section = AsfSection::Skin;
            return Ok(());
        }
        let Some(&name) = SECTIONS.iter().find(|name| keyword.is(name)) else {
            return self.unknown_section(keyword);
        };
        if let Some((_, line)) = self.begun.iter().find(|(begun, _)| *begun == name) {
            return Err(keyword.error(
                Rule::DuplicateSection,
                format!("each section once; `{name}` is in line {line} too"),
                keyword.shown(),
            ));
        }
        self.any_section = true;
        self.begun.push((name, keyword.line));
        self.section = match name {
            ":version" => AsfSection::Version,
            ":name" => AsfSection::Name,
            ":units" => AsfSection::Units,
            ":documentation" => AsfSection::Documentation,
            ":root" => AsfSection::Root,
            ":bonedata" => AsfSection::Bones,
            _ => {
                self.hierarchy.start(keyword.line);
                AsfSection::Hierarchy
            }
        };
        Ok(())
    }

    fn unknown_section(&mut self, keyword: Token<'a>) -> Result<(), TextError> {
        let of_motion = [":fully-specified", ":degrees", ":radians"];
        if !self.any_section && of_motion.iter().any(|name| keyword.is(name)) {
            return Err(keyword.error(
                Rule::NotThisFormat,
                "a section of an ASF skeleton such as `:version`",
                format!("{}, which begins an AMC motion", keyword.shown()),
            ));
        }
        self.any_section = true;
        let problem = format!("unknown section {}, ignored", keyword.shown());
        self.report.warn(keyword, problem);
        Ok(())
    }

    /// Validates the end of a section: at the keyword of the next, or at the end of the file.
    fn end_section(&mut self, next: Option<Token<'a>>) -> Result<(), TextError> {
        match self.section {
            AsfSection::Bones => self.bones.end(next),
            AsfSection::Hierarchy => match next {
                Some(token) => self
                    .hierarchy
                    .end(token.line, &format!("`{}`", decode(token.text))),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn version(&mut self, mut tokens: Tokens<'a>) -> Result<(), TextError> {
        let Some(token) = tokens.next() else {
            return Ok(());
        };
        if self.asf.version.is_some() {
            return self.stray_token(token, "a section");
        }
        let version = token.number("`:version`")?;
        if version != 1.1 {
            let problem = format!("version {version}, not 1.1; read as if it were");
            self.report.warn(token, problem);
        }
        self.asf.version = Some(version);
        self.stray(tokens, "nothing after the version")
    }

    fn units(&mut self, mut tokens: Tokens<'a>) -> Result<(), TextError> {
        while let Some(field) = tokens.next() {
            let Some(&name) = ["mass", "length", "angle"]
                .iter()
                .find(|name| field.is(name))
            else {
                let problem = format!("unknown unit {}, ignored with its line", field.shown());
                self.report.warn(field, problem);
                return Ok(());
            };
            let first = self.once(field, name)?;
            let Some(value) = tokens.next() else {
                return Err(too_few(field, 1, "", 0));
            };
            let units = &mut self.asf.units;
            match name {
                "angle" => {
                    let unit = angle_unit(value)?;
                    if first {
                        units.angle = unit;
                    }
                }
                "mass" => {
                    let mass = value.number("`mass`")?;
                    if first {
                        units.mass = mass;
                    }
                }
                _ => {
                    let length = length_unit(value)?;
                    if first {
                        units.length = length;
                    }
                }
            }
        }
        Ok(())
    }

    fn root(&mut self, mut tokens: Tokens<'a>) -> Result<(), TextError> {
        const FIELDS: [&str; 4] = ["order", "axis", "position", "orientation"];
        let known = |token: &Token<'_>| FIELDS.iter().any(|name| token.is(name));
        while let Some(field) = tokens.next() {
            let Some(&name) = FIELDS.iter().find(|name| field.is(name)) else {
                let problem = format!("unknown field {} of the root, ignored", field.shown());
                self.report.warn(field, problem);
                while tokens.peek().is_some_and(|token| !known(&token)) {
                    tokens.next();
                }
                continue;
            };
            let first = self.once(field, name)?;
            let mut root = AsfRoot::default();
            match name {
                "order" => root.order = dofs(field, &mut tokens, known, &mut self.report)?,
                "axis" => root.axis = axis_order(field, tokens.next())?,
                "position" => root.position = triple(field, &mut tokens)?,
                _ => root.orientation = triple(field, &mut tokens)?,
            }
            if name != "order" {
                excess(field, &mut tokens, known, &mut self.report)?;
            }
            if !first {
                continue;
            }
            match name {
                "order" => {
                    if root.order.contains(&Dof::Length) {
                        let problem = "the root has no length; its values of `l` are ignored";
                        self.report.warn(field, problem);
                    }
                    self.asf.root.order = root.order;
                    self.has_order = true;
                }
                "axis" => self.asf.root.axis = root.axis,
                "position" => self.asf.root.position = root.position,
                _ => self.asf.root.orientation = root.orientation,
            }
        }
        Ok(())
    }

    /// Returns whether this is the first occurrence of a field in its section.
    fn once(&mut self, field: Token<'a>, name: &'static str) -> Result<bool, TextError> {
        if !self.fields.contains(&name) {
            self.fields.push(name);
            return Ok(true);
        }
        let error = field.error(
            Rule::DuplicateField,
            format!("`{name}` once"),
            format!("{} again", field.shown()),
        );
        self.report.fault(error, "the first one is used")?;
        Ok(false)
    }

    /// Handles unexpected words.
    fn stray(&mut self, tokens: Tokens<'a>, expected: &str) -> Result<(), TextError> {
        match tokens.peek() {
            Some(token) => self.stray_token(token, expected),
            None => Ok(()),
        }
    }

    fn stray_token(&mut self, token: Token<'a>, expected: &str) -> Result<(), TextError> {
        let error = token.error(Rule::BadStructure, expected, token.shown());
        self.report.fault(error, "ignored")
    }

    fn finish(mut self, last_line: usize) -> Result<Asf, TextError> {
        self.end_section(None)?;
        if !self.any_section {
            return Err(TextError {
                rule: Rule::EmptyFile,
                line: 1,
                column: 0,
                expected: "an ASF skeleton".into(),
                found: "nothing".into(),
            });
        }
        for name in [":root", ":bonedata", ":hierarchy"] {
            if !self.begun.iter().any(|(begun, _)| *begun == name) {
                return Err(TextError {
                    rule: Rule::MissingSection,
                    line: last_line,
                    column: 0,
                    expected: format!("a section `{name}`"),
                    found: "the end of the file".into(),
                });
            }
        }
        self.hierarchy.end(last_line, "the end of the file")?;
        if !self.has_order {
            let line = self.begun.iter().find(|(name, _)| *name == ":root");
            let error = TextError {
                rule: Rule::MissingField,
                line: line.map_or(1, |(_, line)| *line),
                column: 0,
                expected: "an `order` in the section `:root`".into(),
                found: "none".into(),
            };
            self.report.fault(error, "read as TX TY TZ RX RY RZ")?;
        }
        if self.bones.unlimited > 0 {
            // Many programs write none: one summary warning for all of them.
            let problem = format!(
                "bones with `dof` and without `limits`: {}",
                self.bones.unlimited
            );
            self.report.warn_line(last_line, problem);
        }
        self.asf.bones = self.hierarchy.resolve(self.bones.bones, &mut self.report)?;
        self.asf.warnings = self.report.warnings;
        Ok(self.asf)
    }
}

fn angle_unit(value: Token<'_>) -> Result<AngleUnit, TextError> {
    if value.is("deg") || value.is("degrees") {
        Ok(AngleUnit::Degrees)
    } else if value.is("rad") || value.is("radians") {
        Ok(AngleUnit::Radians)
    } else {
        Err(value.error(Rule::BadUnit, "`deg` or `rad`", value.shown()))
    }
}

fn length_unit(value: Token<'_>) -> Result<f64, TextError> {
    match value.classify() {
        // Far from the ends of the range, so that dividing by it does not overflow.
        ParsedNumber::Finite(length) if (1e-9..=1e9).contains(&length) => Ok(length),
        ParsedNumber::Not => value.number("`length`"),
        _ => Err(value.error(Rule::BadUnit, "a unit of length above zero", value.shown())),
    }
}
