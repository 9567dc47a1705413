import { VitePWA } from "vite-plugin-pwa";

export default {
  plugins: [
    VitePWA({
      registerType: "autoUpdate",
      injectRegister: "script",
      workbox: {
        globPatterns: ["**/*.{html,js,wasm,ndjson}"],
        maximumFileSizeToCacheInBytes: 8 << 20,
      },
    }),
  ],
};
