//! JSON as text: laid out, sketched, cut and read without building values of it.
