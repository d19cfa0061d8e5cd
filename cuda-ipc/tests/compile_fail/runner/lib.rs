//! Nothing: the programs beside this folder are the package.
