//! Shapes of requests: which template a request was made from.

use shakedown_remote::Value;

/// A value of which some parts may be anything: those that a template fills in.
pub(crate) enum Shape {
    Anything,
    Exactly(Value),
    List(Vec<Shape>),
    Map(Vec<(String, Shape)>),
}

impl Shape {
    /// What two values have in common that were made from one template with different numbers.
    pub fn between(one: &Value, other: &Value) -> Shape {
        match (one, other) {
            (Value::List(ones), Value::List(others)) if ones.len() == others.len() => {
                Shape::List(ones.iter().zip(others).map(|(one, other)| Shape::between(one, other)).collect())
            }
            (Value::Map(ones), Value::Map(others)) if ones.len() == others.len() => {
                let field = |((name, one), (_, other)): (&(String, Value), &(String, Value))| {
                    (name.clone(), Shape::between(one, other))
                };
                Shape::Map(ones.iter().zip(others).map(field).collect())
            }
            (one, other) if one == other => Shape::Exactly(one.clone()),
            _ => Shape::Anything,
        }
    }

    /// Whether a value has this shape.
    pub fn fits(&self, value: &Value) -> bool {
        match (self, value) {
            (Shape::Anything, _) => true,
            (Shape::Exactly(known), value) => known == value,
            (Shape::List(shapes), Value::List(values)) => {
                shapes.len() == values.len()
                    && shapes.iter().zip(values).all(|(shape, value)| shape.fits(value))
            }
            (Shape::Map(shapes), Value::Map(fields)) => {
                let is_there =
                    |(name, shape): &(String, Shape)| value.get(name).is_some_and(|part| shape.fits(part));
                shapes.len() == fields.len() && shapes.iter().all(is_there)
            }
            _ => false,
        }
    }
}
