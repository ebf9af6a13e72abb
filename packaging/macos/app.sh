#!/bin/sh
# Lays out Paddock.app around a paddock built on a Mac. UNTESTED: nobody has run it
# on macOS, and nothing here signs or notarises the result.
#
#   packaging/macos/app.sh PROGRAM FOLDER    makes FOLDER/Paddock.app
#
# On the Mac, with Go and Xcode's command line tools: go build -tags
# migrated_fynedo,nodynamic -o build/paddock . && packaging/macos/app.sh build/paddock build
set -eu

[ $# = 2 ] && [ -f "$1" ] && [ -d "$2" ] || {
	echo "usage: packaging/macos/app.sh PROGRAM FOLDER" >&2
	exit 2
}
root=$(cd "$(dirname "$0")/../.." && pwd)
app=$(cd "$2" && pwd)/Paddock.app
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
value() { sed -n "s/^$1 = \"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" "$root/FyneApp.toml"; }

rm -rf "$app"
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
install -m 755 "$program" "$app/Contents/MacOS/paddock"
(cd "$root" && go run ./packaging/icon "$app/Contents/Resources/paddock.icns")
cp "$root/LICENSE" "$root/THIRD_PARTY.md" "$app/Contents/Resources/"
cat >"$app/Contents/Info.plist" <<END
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>CFBundleName</key><string>Paddock</string>
	<key>CFBundleIdentifier</key><string>$(value ID)</string>
	<key>CFBundleShortVersionString</key><string>$(value Version)</string>
	<key>CFBundleVersion</key><string>$(value Build)</string>
	<key>CFBundlePackageType</key><string>APPL</string>
	<key>CFBundleExecutable</key><string>paddock</string>
	<key>CFBundleIconFile</key><string>paddock</string>
	<key>NSHighResolutionCapable</key><true/>
	<key>CFBundleDocumentTypes</key>
	<array>
		<dict>
			<key>CFBundleTypeName</key><string>GGUF model</string>
			<key>CFBundleTypeRole</key><string>Viewer</string>
			<key>LSHandlerRank</key><string>Alternate</string>
			<key>LSItemContentTypes</key><array><string>org.paddock.gguf</string></array>
		</dict>
	</array>
	<key>UTImportedTypeDeclarations</key>
	<array>
		<dict>
			<key>UTTypeIdentifier</key><string>org.paddock.gguf</string>
			<key>UTTypeDescription</key><string>GGUF model</string>
			<key>UTTypeConformsTo</key><array><string>public.data</string></array>
			<key>UTTypeTagSpecification</key>
			<dict><key>public.filename-extension</key><array><string>gguf</string></array></dict>
		</dict>
	</array>
</dict>
</plist>
END
echo "$app is laid out. It has no engine: see docs/macos.md"
