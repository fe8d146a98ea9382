use std::ffi::{c_char, c_int, c_void, CStr};

extern "C" {
    fn logp_sizes(
        q: *const f64, q_n: i64, x: *const f64, x_n: i64, y: *const f64, y_n: i64,
        sizes: *mut i64,
    ) -> c_int;
    fn logp(
        q: *const f64, q_n: i64, x: *const f64, x_n: i64, y: *const f64, y_n: i64,
        density: *mut f64, gradient: *mut f64, scratch: *mut c_void,
    ) -> c_int;
    fn model_message(code: c_int) -> *const c_char;
}

fn check(code: c_int) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the message is a constant of the C file
    Err(unsafe { CStr::from_ptr(model_message(code)) }.to_string_lossy().into_owned())
}

/// The log-density of the parameters `q` and its gradient, given points.
pub fn log_density(q: &[f64], x: &[f64], y: &[f64]) -> Result<(f64, Vec<f64>), String> {
    let (q_n, x_n, y_n) = (q.len() as i64, x.len() as i64, y.len() as i64);
    let mut sizes = [0i64; 2]; // LOGP_SIZES
    // SAFETY: pointers and lengths are those of slices, and outputs have the lengths asked for
    unsafe {
        check(logp_sizes(
            q.as_ptr(), q_n, x.as_ptr(), x_n, y.as_ptr(), y_n, sizes.as_mut_ptr(),
        ))?;
        let mut scratch = vec![0u128; (sizes[0] as usize).div_ceil(16)]; // aligned to 16 bytes
        let (mut density, mut gradient) = (0.0, vec![0.0; sizes[1] as usize]);
        check(logp(
            q.as_ptr(), q_n, x.as_ptr(), x_n, y.as_ptr(), y_n, &mut density,
            gradient.as_mut_ptr(), scratch.as_mut_ptr().cast(),
        ))?;
        Ok((density, gradient))
    }
}

fn main() {
    let (x, y) = ([0.0, 1.0, 2.0, 3.0], [0.4, 2.7, 4.4, 6.5]);
    let (density, gradient) = log_density(&[0.5, 2.0, -1.0], &x, &y).unwrap();
    println!("{density} {} {} {}", gradient[0], gradient[1], gradient[2]);
    println!("{}", log_density(&[0.5, 2.0, -1.0], &x, &y[..3]).unwrap_err());
}
