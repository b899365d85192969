//! Reading a stored result back: arguments, pages, searches, and the text of the answer.
