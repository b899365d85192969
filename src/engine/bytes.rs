//! What bytes are: encoding by BOM and content, type by magic number, hex dumps.
