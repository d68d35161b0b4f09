/** A font as an address that has all of it (`data:`). */
declare module '*.woff2?inline' {
  const address: string;
  export default address;
}
