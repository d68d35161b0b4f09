/** Why a header that the user entered can't be sent (RFC 9110 §5.1, §5.5, §7.6.1). */
export const headerFaults = {
  name: 'is no name of a header',
  own: 'is the gateway’s own to set',
  value: 'needs a value of plain characters, without line breaks',
};
export type HeaderFault = keyof typeof headerFaults;
