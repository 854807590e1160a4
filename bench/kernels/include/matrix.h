/* Arrays as many C++ programs write them: sizes and a pointer in an object, operator() for elements. */
#ifndef MATRIX_H
#define MATRIX_H

typedef __SIZE_TYPE__ extent;

template <class T> class Vector {
    T *data_;
    extent size_;

  public:
    Vector(T *data, extent size) : data_(data), size_(size) {}
    extent size() const { return size_; }
    T &operator()(extent i) { return data_[i]; }
    const T &operator()(extent i) const { return data_[i]; }
};

template <class T> class Matrix {
    T *data_;
    extent rows_, columns_;

  public:
    Matrix(T *data, extent rows, extent columns) : data_(data), rows_(rows), columns_(columns) {}
    extent rows() const { return rows_; }
    extent columns() const { return columns_; }
    T &operator()(extent i, extent j) { return data_[i * columns_ + j]; }
    const T &operator()(extent i, extent j) const { return data_[i * columns_ + j]; }
};

template <class T> class Tensor3 {
    T *data_;
    extent n_, m_, l_;

    extent at(extent i, extent j, extent k) const { return (i * m_ + j) * l_ + k; }

  public:
    Tensor3(T *data, extent n, extent m, extent l) : data_(data), n_(n), m_(m), l_(l) {}
    T &operator()(extent i, extent j, extent k) { return data_[at(i, j, k)]; }
    const T &operator()(extent i, extent j, extent k) const { return data_[at(i, j, k)]; }
};

template <class T> class Tensor4 {
    T *data_;
    extent n_, m_, l_, q_;

    extent at(extent i, extent j, extent k, extent h) const { return ((i * m_ + j) * l_ + k) * q_ + h; }

  public:
    Tensor4(T *data, extent n, extent m, extent l, extent q) : data_(data), n_(n), m_(m), l_(l), q_(q) {}
    T &operator()(extent i, extent j, extent k, extent h) { return data_[at(i, j, k, h)]; }
    const T &operator()(extent i, extent j, extent k, extent h) const { return data_[at(i, j, k, h)]; }
};

#endif
