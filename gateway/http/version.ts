/** The build that answers, as in `x-portico-version`. A test holds it to the package's version. */
export const version = '0.1.0';
