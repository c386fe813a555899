declare module "sinew:module" {
  /** The WebAssembly module: gzip, then base64. */
  const packed: string;
  export default packed;
}
