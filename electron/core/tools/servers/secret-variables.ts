/**
 * Which environment variables of a tool server keep their value hidden when a person is asked. A list of the variables that
 * make a program run other code can never be complete, so the rule is the other way round: everything is shown, except a
 * value that is a secret by its variable's name and could not be a path, an option or an address, or by its own shape.
 */

/** The last word of a secret's name: `API_TOKEN`, `DB_PASSWORD`, `OPENAI_APIKEY`, `apiKey`, `API_KEY_2`. */
const secretName =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|KEY|COOKIE|BEARER)S?(?:_?\d+)?$|(?:^|_)(?:AUTH|PASS|PAT|PWD|DSN)(?:_?\d+)?$/;

/** Git reads its whole configuration from pairs of these, so that `GIT_CONFIG_KEY_0` is no key in the sense of a secret. */
const gitConfiguration = /^GIT_CONFIG_(KEY|VALUE)_\d+$/;

/** Paths, options, commands in a pipe, addresses and lists of settings: what could name other code. */
const couldNameCode =
  /^[./~\\|-]|^[A-Za-z]:[\\/]|:\/\/|^[\w.-]+=[^=]|\.(?:[cm]?[jt]s|sh|py|rb|pl|exe|dll|so|dylib|cmd|bat|ps1|jar|conf|cnf|ini|json|ya?ml|toml)$/i;
/** PEM begins with hyphens as an option does. */
const pem = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Prefixes that vendors give their secrets, and tokens that say themselves what they are. */
const secretPrefix =
  /^(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|xapp|secret|ntn|lin_api|hf|gsk|AKIA|ASIA|AIza|ya29\.|eyJ|npm|pypi|dop_v1|shpat|figd|SG\.)[\w-]*[_.-]?[\w.-]{12,}$/;

/** Whether the value is left out of the question, which then shows the name alone. */
export function hidesValue(name: string, value: string): boolean {
  if (pem.test(value)) return true;
  if (couldNameCode.test(value)) return false;
  return (secretName.test(upperWords(name)) && !gitConfiguration.test(name.toUpperCase())) || secretPrefix.test(value);
}

/** The value as the question shows it: the password of an address is left out. */
export const shownValue = (value: string): string => value.replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, '$1…@');

/** `apiKey` and `api-key` as `API_KEY`. */
const upperWords = (name: string) =>
  name
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .replaceAll(/[-.]/g, '_')
    .toUpperCase();
