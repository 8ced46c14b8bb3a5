"""What a store of results says: tables, figures and a page, beside what others published."""
