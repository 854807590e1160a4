//! The projects: where they come from, and how their authors build and test them.
//!
//! Chosen for loops over numbers and for tests that look at what these compute. Code that is written for vectors by hand is
//! switched off where a project has it, so that the loops in C run. Left out are tests that take many minutes, and projects
//! whose tests do not run as root (FLAC) or in which nearly nothing is rewritten (lcms2).

/// A project and how its authors build and test it.
pub struct Project {
    /// As the task is asked for it.
    pub name: &'static str,
    /// Debian's source package.
    pub source: &'static str,
    /// What it is written in and built with, for the table.
    pub kind: &'static str,
    /// Debian packages that its build needs beyond ours.
    pub needs: &'static [&'static str],
    /// Shell commands, run in the unpacked archive with `CC`, `CXX` and `FC` set, and `CFLAGS` and so on if flags are given.
    pub build: &'static str,
    /// The same for its tests.
    pub test: &'static str,
    /// Prints what the tests computed, without times and paths.
    pub results: Option<&'static str>,
}

const CMAKE: &[&str] = &["cmake"];
const CMAKE_BUILD: &str = "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j2";
const CTEST: &str = "ctest --test-dir build --output-on-failure";

/// How LAPACK is told which compilers to use.
macro_rules! lapack_settings {
    () => {
        r#"sed "s|^FC *=.*|FC = $FC|; s|^CC *=.*|CC = $CC|; s|^FFLAGS *=.*|FFLAGS = ${FFLAGS:--O2}|;
            s|^FFLAGS_DRV *=.*|FFLAGS_DRV = ${FFLAGS:--O2}|; s|^FFLAGS_NOOPT *=.*|FFLAGS_NOOPT = -O0|;
            s|^CFLAGS *=.*|CFLAGS = ${CFLAGS:--O2}|" make.inc.example > make.inc
        "#
    };
}

/// All of them.
pub const PROJECTS: &[Project] = &[
    Project {
        name: "zlib",
        source: "zlib",
        kind: "C, configure",
        needs: &[],
        build: "./configure && make -j2",
        test: "make test",
        results: None,
    },
    Project {
        name: "lz4",
        source: "lz4",
        kind: "C, make",
        needs: &[],
        build: r#"make -j2 CC="$CC" lib lz4"#,
        test: r#"make CC="$CC" check && make -C tests CC="$CC" test-fuzzer test-frametest FUZZER_TIME=-T10s"#,
        results: None,
    },
    Project {
        name: "libpng",
        source: "libpng1.6",
        kind: "C, configure",
        needs: &["zlib1g-dev"],
        build: "./configure --disable-dependency-tracking && make -j2",
        test: "make -k check",
        results: None,
    },
    Project {
        name: "cjson",
        source: "cjson",
        kind: "C, CMake",
        needs: CMAKE,
        build: CMAKE_BUILD,
        test: CTEST,
        results: None,
    },
    Project {
        name: "double-conversion",
        source: "double-conversion",
        kind: "C++, CMake",
        needs: CMAKE,
        build: "cmake -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON && cmake --build build -j2",
        test: CTEST,
        results: None,
    },
    Project {
        name: "gsl",
        source: "gsl",
        kind: "C, configure",
        needs: &[],
        // The archive is without its documentation.
        build: "./configure --disable-shared --disable-dependency-tracking && sed -i 's/ doc\\b//' Makefile && make -j2",
        test: "for d in vector matrix cblas linalg eigen fft wavelet statistics interpolation bspline filter movstat poly \
                multifit multilarge dht cheb sort permutation histogram ode-initval2 splinalg spmatrix
            do make -k -C $d check || failed=1; done; test -z \"$failed\"",
        // What each test expected and got; of linalg and bspline that would be gigabytes.
        results: Some(
            "export GSL_TEST_VERBOSE=1
            for d in vector matrix cblas eigen fft wavelet statistics interpolation filter movstat poly multifit dht
            do (cd $d; ./test 2>&1 | cksum); done",
        ),
    },
    Project {
        name: "blas",
        source: "lapack",
        kind: "Fortran, make",
        needs: &[],
        build: concat!(lapack_settings!(), "make -j2 blaslib"),
        // The programs say in their outputs what fails, and end with 0.
        test: "make -j2 -C BLAS/TESTING all && make -C BLAS/TESTING run && ! grep -i fail BLAS/TESTING/*.out",
        results: Some("cat BLAS/TESTING/*.out"),
    },
    Project {
        name: "lapack",
        source: "lapack",
        kind: "Fortran, make",
        needs: &[],
        build: concat!(
            lapack_settings!(),
            "make -j2 blaslib && make -j2 -C SRC double && make -j2 -C TESTING/MATGEN double"
        ),
        test: "make -j2 -C TESTING double",
        // What fails with the usual compilers, too, is in here.
        results: Some("grep -v -i -e second -e time TESTING/*.out"),
    },
    Project {
        name: "opus",
        source: "opus",
        kind: "C, configure",
        needs: &[],
        build: "./configure --disable-dependency-tracking --disable-rtcd --disable-intrinsics && make -j2",
        test: "make -k check",
        results: None,
    },
    Project {
        name: "libsamplerate",
        source: "libsamplerate",
        kind: "C, CMake",
        needs: CMAKE,
        build: "cmake -B build -DCMAKE_BUILD_TYPE=Release -DLIBSAMPLERATE_EXAMPLES=OFF && cmake --build build -j2",
        test: CTEST,
        results: None,
    },
];
