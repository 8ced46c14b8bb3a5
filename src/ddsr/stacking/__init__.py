"""Several small problems on one GPU: their networks and their backward processes as one stack."""
