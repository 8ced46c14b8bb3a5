"""The RNN generator of DSR (Petersen et al. 2019), which writes expressions in prefix order."""
