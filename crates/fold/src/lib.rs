//! Fold streams of points into piecewise affine functions over polyhedra
