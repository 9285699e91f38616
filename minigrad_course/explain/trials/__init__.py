"""Try edited programs in processes of their own, and tell what came of them."""
