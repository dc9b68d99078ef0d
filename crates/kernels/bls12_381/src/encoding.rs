//! Encodings of many elements of Fr by the functions of a row.

use crate::dispatch::FrRow;
use crate::{Error, Fr, ScaledEncoding};

impl ScaledEncoding {
    /// Replaces `out` by the elements that [`ScaledEncoding::decode`] returns of each encoding.
    ///
    /// # Errors
    /// [`Error::NotCanonicalAt`] with the index of the first encoding that is not below r; `out` has no meaning then.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn decode_all(&self, row: &FrRow, encodings: &[[u8; 32]], out: &mut [Fr]) -> Result<(), Error> {
        assert_eq!(encodings.len(), out.len(), "elements");
        let mut done = 0;
        if let Some(lanes) = row.lanes {
            let whole = encodings.len() - encodings.len() % lanes.lanes();
            if lanes.decode(self.read, &encodings[..whole], &mut out[..whole]) {
                done = whole;
            }
        }
        for (index, (bytes, out)) in encodings.iter().zip(out).enumerate().skip(done) {
            *out = self.decode(bytes).map_err(|_| Error::NotCanonicalAt { index })?;
        }
        Ok(())
    }

    /// Replaces `out` by what [`ScaledEncoding::encode`] returns of each element.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn encode_all(&self, row: &FrRow, elements: &[Fr], out: &mut [[u8; 32]]) {
        assert_eq!(elements.len(), out.len(), "elements");
        let mut done = 0;
        if let Some(lanes) = row.lanes {
            done = elements.len() - elements.len() % lanes.lanes();
            lanes.encode(self.write, &elements[..done], &mut out[..done]);
        }
        let rest = elements.iter().zip(out).skip(done);
        rest.for_each(|(element, out)| *out = self.encode(*element));
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_testkit::{rand::Rng, rng};

    use super::*;
    use crate::field::fr::tests::encodings;
    use crate::lanes::tests::rows;

    #[test]
    fn each_lane_has_the_result_of_one_encoding() {
        let number = Fr::from_bytes_reduced(&rng().random::<[u8; 32]>());
        let encoding = ScaledEncoding::new(number);
        let rows = rows();
        for bytes in &encodings() {
            // One encoding among others, in each lane.
            for (row, at) in rows.iter().flat_map(|row| (0..11).map(move |at| (row, at))) {
                let mut encodings = [[1; 32]; 11];
                encodings[at] = *bytes;
                let mut out = [Fr::zero(); 11];
                let result = encoding.decode_all(row, &encodings, &mut out);
                match encoding.decode(bytes) {
                    Err(_) => assert_eq!(result, Err(Error::NotCanonicalAt { index: at })),
                    Ok(element) => {
                        assert_eq!(result, Ok(()));
                        assert_eq!(out[at], element);
                        let scaled = out.map(|element| encoding.encode(element));
                        encoding.encode_all(row, &out, &mut encodings);
                        assert_eq!(encodings, scaled);
                    }
                }
            }
        }
    }
}
