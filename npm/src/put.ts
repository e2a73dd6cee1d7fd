/** Sets a member as an assignment would, also one named `__proto__`. */
export function put(to: object, name: string | number, value: unknown): void {
  Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });
}
