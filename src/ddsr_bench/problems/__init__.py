"""Problems: equations to be found again, data whose equation nobody knows, and trials on them."""
