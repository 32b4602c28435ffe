/** The same object with some of its methods replaced. All others run on the original, as streams need it. */
export function overlay<T extends object>(original: T, methods: Partial<T>): T {
  return new Proxy(original, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
