// What a client in TypeScript imports of verify.mjs.

type Told = { readonly version: number };

/** Everything in what `get_record` answers that does not bear checking, in sentences. */
export function faults(record: { readonly match_id: string; readonly events: readonly Told[] }): Promise<string[]>;

/** Everything in these events, as you were told them during the match, that the record tells otherwise now, in sentences. */
export function brokenPromises(record: { readonly events: readonly Told[] }, seen: readonly Told[]): string[];
