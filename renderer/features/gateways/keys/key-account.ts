/** An account that keys are made for. */
export interface KeyAccount {
  /** `main` or `sandbox` of the built-in gateway, or the id of an account at another one. */
  readonly id: string;
  readonly name: string;
  readonly embedded: boolean;
}
