#!/bin/sh
# Builds Paddock for Windows (64-bit Intel and AMD) on Linux, into build/windows:
# paddock.exe with its icon and version, paddock.com for the command line, and with
# makensis an installer.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
out=$root/build/windows
object=build/windows/resources.o # as the linker finds it, which would split a folder's name at a space
tools=x86_64-w64-mingw32

say() { echo "windows: $*" >&2; }
cd "$root"
command -v $tools-gcc >/dev/null && command -v $tools-windres >/dev/null || {
	say "a compiler for Windows is missing. Install it, then run this again: apt-get install gcc-mingw-w64-x86-64"
	exit 1
}
# The one version number, and Windows's way to write it.
version=$(sed -n 's/^Version = "\(.*\)"/\1/p' FyneApp.toml)
build=$(sed -n 's/^Build = \(.*\)/\1/p' FyneApp.toml)
mkdir -p "$out"

go run ./packaging/icon "$out/paddock.ico"
# The manifest: no scaling of pixels by Windows, paths of any length.
cat >"$out/paddock.manifest" <<'END'
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <trustInfo xmlns="urn:schemas-microsoft-com:asm.v3"><security><requestedPrivileges>
    <requestedExecutionLevel level="asInvoker" uiAccess="false"/>
  </requestedPrivileges></security></trustInfo>
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1"><application>
    <supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/>
  </application></compatibility>
  <application xmlns="urn:schemas-microsoft-com:asm.v3"><windowsSettings>
    <dpiAwareness xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">PerMonitorV2</dpiAwareness>
    <longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true</longPathAware>
  </windowsSettings></application>
</assembly>
END
cat >"$out/paddock.rc" <<RESOURCES
1 ICON "paddock.ico"
1 24 "paddock.manifest"
1 VERSIONINFO
FILEVERSION $(echo "$version" | tr . ,),$build
PRODUCTVERSION $(echo "$version" | tr . ,),$build
BEGIN
  BLOCK "StringFileInfo"
  BEGIN
    BLOCK "040904B0"
    BEGIN
      VALUE "FileDescription", "Paddock"
      VALUE "FileVersion", "$version"
      VALUE "InternalName", "paddock"
      VALUE "OriginalFilename", "paddock.exe"
      VALUE "ProductName", "Paddock"
      VALUE "ProductVersion", "$version"
    END
  END
  BLOCK "VarFileInfo"
  BEGIN
    VALUE "Translation", 0x409, 1200
  END
END
RESOURCES
(cd "$out" && $tools-windres paddock.rc -O coff -o resources.o)

say "building paddock.exe; the first time this takes some minutes"
GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=$tools-gcc \
	go build -trimpath -ldflags "-H=windowsgui -s -w -X main.commit=${COMMIT:-} -linkmode=external -extldflags=$object" -o "$out/paddock.exe" .
GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$out/paddock.com" ./packaging/windows/launcher
rm "$out/resources.o" "$out/paddock.rc" "$out/paddock.manifest"
cp LICENSE THIRD_PARTY.md "$out/"
# Notepad of older Windows knows no other ends of lines.
sed 's/$/\r/' docs/windows.md >"$out/README.txt"

if command -v makensis >/dev/null; then
	makensis -V2 -DVERSION="$version" -DFROM="$out" packaging/windows/installer.nsi
else
	say "no installer: makensis is missing. With it there is one: apt-get install nsis"
fi
say "build/windows is done: $(cd "$out" && ls | tr '\n' ' ')"
