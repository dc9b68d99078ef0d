//! Bytes as text of hexadecimal digits after `0x`; without `0x` they are read too.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Blob, Bytes32, Bytes48};

macro_rules! as_text {
    ($($name:ident)+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&format!("0x{}", hex::encode(self.bytes)))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let digits = String::deserialize(deserializer)?;
                let bytes = hex::decode(digits.strip_prefix("0x").unwrap_or(&digits)).map_err(Error::custom)?;
                $name::from_bytes(&bytes).map_err(Error::custom)
            }
        }
    )+};
}

as_text! { Blob Bytes32 Bytes48 }
