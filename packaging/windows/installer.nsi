; The installer for Windows, written by makensis: for this user alone, without an
; administrator. GGUF files get "Open with Paddock", and open with it where no other
; program has them.
Unicode true
Name "Paddock"
OutFile "${FROM}\paddock-${VERSION}-setup.exe"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Paddock"
InstallDirRegKey HKCU "Software\Paddock" "Folder"
SetCompressor /SOLID lzma
Icon "${FROM}\paddock.ico"
UninstallIcon "${FROM}\paddock.ico"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Paddock"
VIAddVersionKey "FileDescription" "Installs Paddock"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "See LICENSE"

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Paddock"
!define KIND "Paddock.gguf"
!define CHANGED 'System::Call "shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)"'

Section
  SetOutPath "$INSTDIR"
  File "${FROM}\paddock.exe"
  File "${FROM}\paddock.com"
  File "${FROM}\LICENSE"
  File "${FROM}\THIRD_PARTY.md"
  File "${FROM}\README.txt"
  CreateShortcut "$SMPROGRAMS\Paddock.lnk" "$INSTDIR\paddock.exe"

  WriteRegStr HKCU "Software\Classes\${KIND}" "" "GGUF model"
  WriteRegStr HKCU "Software\Classes\${KIND}\DefaultIcon" "" "$INSTDIR\paddock.exe,0"
  WriteRegStr HKCU "Software\Classes\${KIND}\shell\open\command" "" '"$INSTDIR\paddock.exe" "%1"'
  WriteRegStr HKCU "Software\Classes\.gguf\OpenWithProgids" "${KIND}" ""
  ReadRegStr $0 HKCU "Software\Classes\.gguf" ""
  StrCmp $0 "" 0 +2
    WriteRegStr HKCU "Software\Classes\.gguf" "" "${KIND}"
  ${CHANGED}

  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\paddock.exe" "" "$INSTDIR\paddock.exe"
  WriteRegStr HKCU "Software\Paddock" "Folder" "$INSTDIR"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Paddock"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\paddock.exe"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
SectionEnd

; Chats, settings and an engine in the folder "engine" are the user's and stay.
Section "Uninstall"
  Delete "$INSTDIR\paddock.exe"
  Delete "$INSTDIR\paddock.com"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\THIRD_PARTY.md"
  Delete "$INSTDIR\README.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Paddock.lnk"
  ReadRegStr $0 HKCU "Software\Classes\.gguf" ""
  StrCmp $0 "${KIND}" 0 +2
    DeleteRegValue HKCU "Software\Classes\.gguf" ""
  DeleteRegValue HKCU "Software\Classes\.gguf\OpenWithProgids" "${KIND}"
  DeleteRegKey HKCU "Software\Classes\${KIND}"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\paddock.exe"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Paddock"
  ${CHANGED}
SectionEnd
